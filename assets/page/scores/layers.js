// Step 3: the head as a lens on every layer. Two heat maps, the rank of the selected token beside
// each row, ways through the plane.

import { through } from "../shared/axes.js";
import { el, focusIn, isPress, svg } from "../shared/dom.js";
import { needsPage } from "../shared/needs_page.js";
import { fixed } from "../shared/numbers.js";
import { floats, softmax } from "../shared/pack.js";
import { clamp, extent } from "../shared/scales.js";
import { dots, frame, labels, textAt } from "./plane.js";

const WAYS = 3;
const WAYS_SAY = "Each line begins at the embeddings (ring) and ends at the last layer: only the " +
  "last dot is a score of this reader.";
const SIDES = ["start", "end"];

/** 1 + how many positions have a larger logit. */
export const rankOf = (row, pos) => row.reduce((rank, v) => rank + (v > row[pos] ? 1 : 0), 1);

/**
 * What stands where hidden states are needed; they are asked for by themselves, and again by hand
 * where that failed.
 */
export function missing(on, model) {
  const { picture, page } = model;
  if (page.reading.typed) return ["These numbers were typed: no vectors stand behind them."];
  if (picture.lacking) return needsPage(picture.lacking);
  const fetch = el("button.plain", {
    onclick: () => on.input("states", page.selection?.window ?? model.w.index),
  }, "fetch them");
  return ["The hidden states of this window are not here yet. ", fetch];
}

export function makeLayers(on, bench) {
  const view = { cursor: null };
  view.says = el(
    "p.scores-says",
    "The head S, E was trained on the last layer only. Here it reads every layer all the " +
      "same: a lens. Ink is the probability in that row, drawn as its square root; each row " +
      "sums to 1.",
  );
  view.waiting = el("p.role-quiet[role=status]");
  view.readout = el("p.scores-readout.tabular[role=status][aria-live=polite]");
  view.maps = el("div.scores-maps");
  view.ways = el("div");
  view.on = on;
  view.ready = el(
    "div",
    view.says,
    view.maps,
    view.readout,
    el("h3", "The tokens' way through the plane, layer by layer"),
    view.ways,
  );
  const root = el("div", view.waiting, view.ready, bench.root);
  return {
    root,
    update(model) {
      view.model = model;
      bench.update(model);
      const layers = model.picture.states?.layers;
      view.waiting.hidden = Boolean(layers);
      view.waiting.replaceChildren(...missing(on, model));
      view.ready.hidden = !layers;
      if (!layers) return;
      if (view.source !== layers) unpack(view, layers);
      drawMaps(view);
      drawWays(view);
    },
  };
}

function unpack(view, layers) {
  const { rows, n } = layers;
  Object.assign(view, { source: layers, cursor: null, logits: {}, p: {} });
  for (const side of SIDES) {
    const all = floats(layers[side]);
    const of = Array.from({ length: rows }, (_, l) => all.subarray(l * n, (l + 1) * n));
    view.logits[side] = of;
    view.p[side] = of.map((row) => softmax(row));
  }
}

const layerName = (l) => (l === 0 ? "embeddings" : `layer ${l}`);

function drawMaps(view) {
  const { model: { page, width, chosen, w }, source: { rows, n } } = view;
  const [left, right, row] = [
    page.narrow ? 34 : 84 * page.scale,
    52 * page.scale,
    Math.round((page.narrow ? 15 : 17) * page.scale),
  ];
  const inner = Math.max(120, width - left - right);
  const focused = focusIn(view.maps)?.id ?? null;
  const built = SIDES.map((side) => {
    const pos = chosen?.[side] ?? view.model.picture.plane.best?.[side === "start" ? 0 : 1] ??
      w.clsAt;
    const top = 20 * page.scale;
    const box = { left, top, width: inner, height: rows * row };
    const style = Object.fromEntries(Object.entries(box).map(([name, x]) => [name, `${x}px`]));
    const canvas = el("canvas.scores-cells[aria-hidden=true]", { width: n, height: rows, style });
    ink(canvas, view.p[side], page.colour("ink"));
    const height = rows * row + 26 * page.scale;
    const x = (p) => left + (p / n) * inner;
    const word = svg("tspan.words", textAt(view.model, pos).slice(0, 24));
    const mark = svg("rect.cursor[visibility=hidden]", {
      width: Math.max(6, inner / n),
      height: row,
    });
    const over = svg(
      "svg[aria-hidden=true]",
      { width, height },
      svg("rect.rule", [left, top, inner, rows * row]),
      svg(`text.${side}`, [left, 13 * page.scale], `${side}: `, word),
      svg("text.quiet", [width, 13 * page.scale, "end"], "its rank"),
      view.logits[side].map((logits, l) => {
        const y = top + (l + 0.5) * row + 4;
        return [
          svg("text.quiet", [left - 6, y, "end"], page.narrow ? l : layerName(l)),
          svg("text.rank", [width, y, "end"], rankOf(logits, pos)),
        ];
      }),
      svg(`rect.column.of-${side}`, [x(pos) - 1, top, Math.max(4, inner / n + 2), rows * row]),
      mark,
    );
    const stage = el(
      "div.scores-map[tabindex=0][role=application]",
      {
        id: `scores-map-${side}`,
        "aria-roledescription": "heat map",
        "aria-label":
          `Layers by tokens, ${side}: arrow keys move, Enter selects the token. The table ` +
          `below has the winner's rank.`,
        style: { height: `${height}px` },
      },
      canvas,
      over,
    );
    const point = (cell) => {
      view.cursor = cell && { side, ...cell };
      mark.setAttribute("visibility", cell ? "visible" : "hidden");
      if (cell) {
        mark.setAttribute("x", x(cell.pos));
        mark.setAttribute("y", top + cell.l * row);
      }
      tell(view);
    };
    const find = (event) => {
      const box = stage.getBoundingClientRect();
      const [p, l] = [
        Math.floor(((event.clientX - box.left - left) / inner) * n),
        Math.floor((event.clientY - box.top - top) / row),
      ];
      return p >= 0 && p < n && l >= 0 && l < rows ? { pos: p, l } : null;
    };
    stage.addEventListener("pointermove", (event) => point(find(event)));
    stage.addEventListener("pointerleave", () => {
      if (document.activeElement !== stage) point(null);
    });
    stage.addEventListener("click", (event) => {
      const c = find(event);
      if (c) pick(view, c.pos, event.shiftKey);
    });
    stage.addEventListener("keydown", (event) => {
      const by =
        { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      const now = view.cursor?.side === side ? view.cursor : { pos, l: rows - 1 };
      if (isPress(event)) {
        event.preventDefault();
        pick(view, now.pos, event.shiftKey);
      }
      if (event.key === "Escape" && view.cursor) {
        event.preventDefault();
        point(null);
      }
      if (!by) return;
      event.preventDefault();
      point({
        pos: clamp(now.pos + by[0], 0, n - 1),
        l: clamp(now.l + by[1], 0, rows - 1),
      });
    });
    return stage;
  });
  view.maps.replaceChildren(...built);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  tell(view);
}

function pick(view, pos, extend) {
  const doc = view.model.doc(pos);
  if (doc !== null) view.on.select(doc, extend);
}

function ink(canvas, rows, colour) {
  const pen = canvas.getContext("2d");
  pen.fillStyle = colour;
  rows.forEach((row, l) =>
    row.forEach((p, k) => {
      pen.globalAlpha = Math.sqrt(p);
      if (p > 1e-5) pen.fillRect(k, l, 1, 1);
    })
  );
}

function tell(view) {
  if (!view.cursor) {
    view.readout.textContent = "Point at a cell: layer, token, logit and probability.";
    return;
  }
  const { side, pos, l } = view.cursor;
  const p = view.p[side][l][pos];
  view.readout.replaceChildren(
    `${layerName(l)}, `,
    el("bdi.read-token", textAt(view.model, pos)),
    ` at position ${pos}: `,
    el(`span.role-${side}`, `${side}_logit ${fixed(view.logits[side][l][pos], 3)}`),
    `, P(${side}) ${p < 1e-4 ? "< 0.0001" : fixed(p, 4)}, rank ${
      rankOf(view.logits[side][l], pos)
    } of ${view.source.n}`,
  );
}

/** The tokens worth following: the selected pair, [CLS], and who leads the last layer besides. */
function followed(view) {
  const { chosen, w, doc } = view.model;
  const out = new Map([[w.clsAt, "cls"]]);
  for (const side of SIDES) {
    const last = view.logits[side].at(-1);
    [...last.keys()].filter((p) => doc(p) !== null).sort((a, b) => last[b] - last[a]).slice(0, WAYS)
      .forEach((p) => out.set(p, out.get(p) ?? "other"));
  }
  for (const side of chosen ? ["end", "start"] : []) out.set(chosen[side], side);
  return out;
}

/**
 * [low start, high start, low end, high end] a little outside all layers of the followed tokens.
 */
function reach({ logits }, list) {
  return SIDES.flatMap((side) => {
    const all = logits[side].flatMap((row) => list.map((pos) => row[pos]));
    const [low, high] = extent(all);
    const room = (high - low) * 0.08 || 0.5;
    return [low - room, high + room];
  });
}

function drawWays(view) {
  const { model: { page, width, w, doc, chosen } } = view;
  const full = Math.min(width, 760 * page.scale);
  const list = [...followed(view)];
  const plane = frame({
    width: full,
    height: Math.min(460 * page.scale, Math.max(280, full * 0.7)),
    range: reach(view, list.map(([pos]) => pos)),
    scale: page.scale,
    id: "scores-ways",
    label: "Ways of single tokens through the plane, from the embeddings to the last layer",
  });
  const ends = [];
  plane.ways = [];
  for (const [pos, kind] of list) {
    const logits = view.logits.start.map((row, l) => [row[pos], view.logits.end[l][pos]]);
    const at = logits.map(([s, e]) => [plane.x(s), plane.y(e)]);
    plane.ways.push(at);
    plane.layer.append(
      svg(`path.way.of-${kind}`, through(at)),
      ...at.slice(0, -1).map(([x, y], l) =>
        svg(`circle.step.of-${kind}`, [x, y, page.scale * (l === 0 ? 3 : 1.8)])
      ),
    );
    const [x, y] = at.at(-1);
    const text = pos === w.clsAt ? `no answer ${w.tokens[pos]}` : textAt(view.model, pos);
    ends.push({
      pos,
      doc: doc(pos),
      x,
      y,
      text,
      kind: kind === "cls" ? "cls" : "context",
      start: chosen?.start === pos,
      end: chosen?.end === pos,
      label: `${text}: ${
        logits.map(([s, e], l) => `${layerName(l)} ${fixed(s, 1)}, ${fixed(e, 1)}`).join("; ")
      }`,
    });
  }
  ends.sort((a, b) => Number(b.start || b.end) - Number(a.start || a.end));
  const choose = (dot, extend) => dot.doc !== null && view.on.select(dot.doc, extend);
  plane.layer.append(
    dots(ends, { choose, tell: () => {} }, 0, page.scale),
    labels(plane, ends.map((d) => ({ ...d, gap: 12, name: d.start || d.end ? "chosen" : "" }))),
  );
  const had = focusIn(view.ways)?.dataset.pos ?? null;
  view.ways.replaceChildren(
    plane.root,
    el("p.scores-key", el("span", WAYS_SAY)),
  );
  if (had) {
    view.ways.querySelector(`.scores-dot[data-pos="${had}"]`)?.focus({ preventScroll: true });
  }
}
