// Chapter 9, step 1: where the heads of one window looked. Two grids of shares, one head as strips on
// the text, three summaries.

import { fixed, percent } from "../shared/numbers.js";
import { radios } from "../shared/controls.js";
import { el, fold, press, put, roving, svg, table } from "../shared/dom.js";
import { floats, unzipped } from "../shared/pack.js";
import { max } from "../shared/scales.js";
import { missing, wordText } from "./parts.js";
import { sheet } from "./sheet.js";
import { words } from "./words.js";

const LISTED = 8;
const ATTENTION = { what: "attention", span: true };
const RELEVANCE = { what: "relevance", span: true, target: true };

export function draw(root, model, held) {
  const { need } = model;
  if (!held.made) make(root, held);
  held.model = model;
  const found = need(ATTENTION);
  put(held.missing, missing(model, ATTENTION, found, words.coming_looked));
  held.body.hidden = !found?.data;
  if (!found?.data) return;
  if (held.grid !== found.data) {
    held.grid = found.data;
    held.shares = { start: floats(found.data.start), end: floats(found.data.end) };
  }
  held.at ??= found.data.top;
  if (held.window !== model.w.index) {
    Object.assign(held, { window: model.w.index, pin: null, point: null });
    held.headBox.hidden = true;
  }
  drawGrid(held);
  const [layer, head] = held.at;
  held.title.textContent = `Where layer ${layer + 1}, head ${head + 1} looked`;
  const request = { what: "head", more: { layer, head } };
  const got = need(request);
  const relevance = need(RELEVANCE);
  unpack(held, got?.data ?? null);
  put(held.refused, (!held.codes || got?.error) && missing(model, request, got));
  if (got?.error) held.headBox.hidden = true;
  if (held.codes) drawHead(held);
  drawSummaries(held, relevance);
}

function make(root, held) {
  Object.assign(held, { made: true, pin: null, point: null, lane: "start", at: null });
  held.missing = el("div");
  held.grid_box = el("div.head-grid");
  held.says = el("p.readout.tabular[aria-live=polite]");
  held.title = el("h3.part-title");
  held.readout = el("p.readout.tabular");
  held.sheet = sheet();
  held.tableBox = el("div");
  held.asTable = fold("this row and column as a table", held.tableBox, {
    id: "why-head-table",
    ontoggle: () => held.asTable.open && held.codes && drawTable(held),
  });
  held.refused = el("div");
  held.headBox = el("div.head-box[hidden]", held.sheet.root, held.readout);
  held.beside = el("div.beside");
  held.same = el("p.role-quiet");
  const from = (lane) => {
    Object.assign(held, { lane, point: null });
    say(held);
    held.model.repaint();
  };
  const sides = ["start", "end"].map((side) => [side, `from the ${side}`, `role-${side}`]);
  const lanes = radios("why-lane", sides, "start", from, (side) => ({ id: `why-lane-${side}` }));
  held.body = el(
    "div",
    el(
      "div.look",
      el(
        "div.look-grid",
        el("p.role-quiet", words.grid_says),
        el("div.controls", lanes),
        held.grid_box,
        held.says,
        held.same,
      ),
      el("div.head-text", held.title, held.refused, held.headBox),
    ),
    held.asTable,
    el("h3.part-title", "Three summaries, beside one another"),
    el("p.role-quiet", words.beside_says),
    held.beside,
  );
  root.replaceChildren(held.missing, held.body);
}

// The grid: one button a head, stronger for a larger share; arrows move in both directions. Rows are
// layers, columns heads, both numbered from 1 as everywhere.
function drawGrid(held) {
  const { grid, shares, lane } = held;
  const made = held.grid_box.querySelectorAll(".head-cell").length;
  if (made !== grid.layers * grid.heads) makeGrid(held);
  const box = held.grid_box;
  box.setAttribute("aria-label", `From the selected ${lane}`);
  const cells = [...box.querySelectorAll(".head-cell")];
  const top = Math.max(max(shares[lane]), 1e-9);
  cells.forEach((cell, k) => {
    cell.style.setProperty("--share", `${Math.round((100 * shares[lane][k]) / top)}%`);
    cell.setAttribute("aria-label", heading(held, k));
    press(cell, k === chosen(held));
  });
  held.same.textContent = grid.one ? "One token: both grids are equal by necessity." : "";
  if (!held.says.textContent) say(held);
}

function makeGrid(held) {
  const { grid: { layers, heads } } = held;
  const box = el("div.head-grid[role=group]");
  held.grid_box.replaceWith(box);
  held.grid_box = box;
  const number = (text, place, kind) =>
    el(`span.head-number.${kind}[aria-hidden=true]`, { style: place }, text);
  const count = (n) => Array.from({ length: n }, (_, k) => k);
  box.replaceChildren(
    number("head", { gridRow: 1, gridColumn: `2 / span ${heads}` }, "name"),
    number("layer", { gridRow: 2, gridColumn: 1 }, "name layers"),
    ...count(heads).map((k) => number(k + 1, { gridRow: 2, gridColumn: k + 2 }, "")),
    ...count(layers).map((k) => number(k + 1, { gridRow: k + 3, gridColumn: 1 }, "")),
    ...count(layers * heads).map((k) =>
      el("button.head-cell", {
        dataset: { k },
        style: { gridRow: Math.floor(k / heads) + 3, gridColumn: (k % heads) + 2 },
        onclick: () => {
          held.at = [Math.floor(k / heads), k % heads];
          say(held, k);
          held.model.repaint();
        },
      })
    ),
  );
  box.style.gridTemplateColumns = `auto repeat(${heads}, minmax(1.5rem, 1.7rem))`;
  roving(box, ".head-cell", { columns: heads });
  const tell = (event) => {
    const cell = event.target.closest(".head-cell");
    if (cell) say(held, Number(cell.dataset.k));
  };
  box.addEventListener("pointerover", tell);
  box.addEventListener("focusin", tell);
  box.addEventListener("pointerleave", () => say(held));
}

function heading({ grid, shares, lane }, k) {
  return `layer ${Math.floor(k / grid.heads) + 1}, head ${(k % grid.heads) + 1}: ${
    percent(shares[lane][k])
  } on the question's words`;
}

/** The number of the chosen head. */
const chosen = ({ at, grid }) => at[0] * grid.heads + at[1];

function say(held, k = chosen(held)) {
  held.says.textContent = `${heading(held, k)}; spread evenly: ${percent(held.grid.even)}`;
}

// Until the chosen head is here the one before it stays, greyed and out of reach: an empty place
// would move the page under the pointer.
function unpack(held, data) {
  if (held.packed === data) return;
  Object.assign(held, { packed: data, codes: null });
  held.headBox.toggleAttribute("inert", true);
  if (data) {
    // a head arrives deflated; codes are round(255 sqrt(a))
    unzipped(data.codes, "deflate").arrayBuffer().then((sent) => {
      const codes = new Uint8Array(sent);
      if (held.packed !== data) return;
      Object.assign(held, { codes, n: data.n });
      // the exact values of what is now drawn are asked for only by a paint of the chapter
      held.model.repaint();
    });
  }
}

function drawHead(held) {
  held.headBox.hidden = false;
  held.headBox.toggleAttribute("inert", false);
  const { seats, w } = held.model;
  const special = new Set(seats.special);
  held.drawn = new Set(w.tokens.map((_, p) => p).filter((p) => !special.has(p)));
  drawStrips(held);
}

const weight = ({ codes, n }, q, k) => (codes[q * n + k] / 255) ** 2;

function drawStrips(held) {
  if (!held.codes) return; // a pointer may still pass over the head before it
  const { model } = held;
  const { w } = model;
  const lanes = lanesOf(held);
  const base = model[held.lane];
  const still = held.pin ?? base;
  const at = held.point ?? still;
  const { above, below, exact } = lanes(at);
  held.sheet.draw({
    page: model.page,
    w,
    seats: model.seats,
    above,
    below,
    kinds: { above: "light", below: "ink" },
    names: { above: "gave", below: "received" },
    byWord: false,
    steady: true,
    least: 15,
    fold: lanes(base), // neither pointing nor pinning opens or closes a line
    folded: "tokens with little attention either way, together",
    marks: [{ ...model.chosen, kind: "selected" }],
    pin: at,
    label: `${w.tokens[at]}. ${words.strip_hint}`,
    print: (x) => (x === 0 ? "0" : share(x, 2)),
    point: (pos) => {
      held.point = pos;
      if (pos !== null) later(held);
      drawStrips(held);
    },
    commit: (found) => {
      held.pin = found?.pos ?? null;
      held.point = null;
      held.model.repaint();
    },
  });
  held.readout.replaceChildren(...readout(held, at, above, below, exact));
  held.still = still;
  if (held.asTable.open) drawTable(held);
}

// What the token at a position gave and was given, special tokens left out; exact where that has
// come.
function lanesOf(held) {
  const { model: { w }, drawn } = held;
  return (at) => {
    const exact = exactly(held, at);
    const lane = (/** @type {(p: number) => number} */ value) =>
      Float64Array.from(w.tokens, (_, p) => (drawn.has(at) && drawn.has(p) ? value(p) : 0));
    return {
      exact: Boolean(exact),
      below: lane((p) => exact?.row[p] ?? weight(held, at, p)),
      above: lane((p) => exact?.column[p] ?? weight(held, p, at)),
    };
  };
}

/** A share as printed, never 0.00. */
const share = (x, digits) =>
  x < 10 ** -digits / 2 ? `< ${fixed(10 ** -digits, digits)}` : fixed(x, digits);

// The whole row and column of the pinned token, else of the selected start: every position.
function drawTable(held) {
  const { model: { w, page }, still, at: [layer, head] } = held;
  const exact = exactly(held, still);
  const key = [page.reading.stamp, w.index, layer, head, still, Boolean(exact)].join(" ");
  if (held.tabled === key) return;
  held.tabled = key;
  const digits = exact ? 4 : 2;
  const print = (x) => share(x, digits);
  const caption = `layer ${layer + 1}, head ${head + 1}: ${w.tokens[still]} (${still}); ${
    exact ? "exact values" : "rounded"
  }`;
  held.tableBox.replaceChildren(
    table({
      caption,
      head: ["token", "position", "it looked at this token", "this token looked at it"],
      rows: w.tokens.map((token, p) => [
        token,
        String(p),
        print(exact?.row[p] ?? weight(held, still, p)),
        print(exact?.column[p] ?? weight(held, p, still)),
      ]),
    }, page),
  );
}

// The exact row and column are asked for when a token is pinned, or pointed at for a moment.
function later(held) {
  clearTimeout(held.timer);
  held.timer = setTimeout(() => held.model.repaint(), 350);
}

function exactly(held, position) {
  const [layer, head] = held.at;
  const found = held.model.need({ what: "exact", more: { layer, head, position } });
  if (!found?.data) return null;
  found.lanes ??= { row: floats(found.data.row), column: floats(found.data.column) };
  return found.lanes;
}

function readout({ model, pin, drawn, point }, at, above, below, exact) {
  const { w } = model;
  const top = (lane) =>
    Array.from(lane, (x, p) => [x, p]).filter(([x]) => x >= 0.005).sort((a, b) => b[0] - a[0])
      .slice(0, 3);
  const named = (/** @type {any} */ [x, p], /** @type {number} */ k) => [
    k ? ", " : " ",
    el("bdi.read-token", w.tokens[p]),
    ` ${fixed(x, exact ? 3 : 2)}`,
  ];
  const list = (lane) => {
    const best = top(lane);
    return best.length ? best.flatMap(named) : [" no token with 0.005 or more"];
  };
  const out = [
    el("bdi.read-token", w.tokens[at]),
    ` (${at}${pin === at && point === null ? ", pinned" : ""}) `,
  ];
  if (drawn.has(at)) {
    const hidden = 1 - below.reduce((sum, x) => sum + x, 0);
    out.push(
      "looked at:",
      ...list(below),
      hidden > 0.005 ? `, ${percent(hidden)} on special tokens, not drawn` : "",
      "; was looked at by:",
      ...list(above),
      "; ",
    );
  }
  out.push(el("span.role-quiet", exact ? "exact values" : "rounded"));
  return out;
}

// Raw attention, rollout and gradient x attention: the words each of them puts first, for the start
// or for the end.
function drawSummaries(held, found) {
  const { model, beside, lane } = held;
  if (!found?.data) {
    put(beside, missing(model, RELEVANCE, found));
    return;
  }
  const { page, w, seats } = model;
  const names = new Map();
  const place = (p) => (seats.of[p] < 0 ? `s${p}` : seats.of[p]);
  seats.of.forEach((of, p) => {
    if (!names.has(place(p))) names.set(place(p), of < 0 ? w.tokens[p] : wordText(model, of));
  });
  beside.replaceChildren(...found.data.kinds.map((one) => {
    const values = floats(one[lane]);
    const sums = new Map();
    values.forEach((x, p) => sums.set(place(p), (sums.get(place(p)) ?? 0) + x));
    const best = [...sums].sort((a, b) => b[1] - a[1]).slice(0, LISTED);
    const top = Math.max(best[0]?.[1] ?? 0, 1e-12);
    const digits = one.kind === "gradient_x_attention" ? 3 : 2;
    return el(
      "div.summary",
      el("p.summary-name", one.name),
      top <= 1e-12 ? el("p.role-quiet", "no effect") : el(
        "ol",
        best.map(([key, x]) =>
          el(
            "li",
            el(`bdi.summary-word${typeof key === "string" ? ".faded" : ""}`, names.get(key)),
            svg(
              "svg.summary-bar[aria-hidden=true]",
              { width: 70 * page.scale, height: 10 * page.scale },
              svg("rect.ink", [0, 0, Math.max(0, (70 * page.scale * x) / top), 10 * page.scale]),
            ),
            el(
              "span.tabular",
              share(x, digits),
            ),
          )
        ),
      ),
    );
  }));
}
