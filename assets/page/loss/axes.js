// Step 2, measure: one logit axis for each head; the gap from the label to log Z is -log p. Ticks
// can be dragged. Arrows of y - p below.

import { el, roving, svg } from "../shared/dom.js";
import { aloneSays, head, SIDES } from "./math.js";
import { arrows } from "./text.js";
import { fixed, sums } from "../shared/numbers.js";
import { scaleLinear, ticks } from "../shared/scales.js";

const HANDLES = 40;
const NAMED = 7;

export function draw(root, picture, page, held) {
  const width = root.clientWidth || 600;
  const w = page.reading.windows[picture.window];
  Object.assign(held, { picture, page, w, drag: null, axes: {}, width });
  held.alone ??= false;
  held.total = el("p", { class: "total-live tabular", "aria-live": "polite" });
  held.text = el("div", { class: "arrows" });
  const box = el("input", {
    type: "checkbox",
    id: "loss-alone",
    checked: held.alone,
    onchange: (event) => {
      held.alone = event.target.checked;
      refresh(held);
    },
  });
  const parts = SIDES.map((side) => axis(held, side));
  root.replaceChildren(
    el(
      "div",
      { class: "levers" },
      windows(picture, page),
      el("label", { class: "lever" }, box, "normalise over the label alone"),
      el(
        "span",
        { class: "role-quiet" },
        "Drag a tick, or choose one with the arrow keys and move it with up and down.",
      ),
    ),
    el("div", { class: "veil-part" }, ...parts, held.total, bridge(picture, page), held.text),
  );
  refresh(held);
}

function windows(picture, page) {
  const count = page.reading.windows.length;
  if (count < 2) return null;
  const choice = el(
    "select",
    { id: "loss-window", onchange: (event) => page.input("window", Number(event.target.value)) },
    page.reading.windows.map((_, k) =>
      el(
        "option",
        { value: k, selected: k === picture.window },
        `${k + 1} of ${count}: holds ${picture.windows[k].holds}`,
      )
    ),
  );
  return el("label", { class: "lever" }, "window ", choice);
}

// An axis -----------------------------------------------------------------------------------------

function axis(held, side) {
  const { picture, page, w, width } = held;
  const em = 16 * page.scale;
  const pad = em * 2.2;
  const logits = w[side];
  let [low, high] = picture.range;
  for (const x of logits) {
    low = Math.min(low, x);
    high = Math.max(high, x);
  }
  const x = scaleLinear([low, high], [pad, width - pad]);
  const y = em * 4.6;
  const height = em * 8.6;
  const art = svg("svg", {
    class: `axis ${side}`,
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "group",
    "aria-label": `${side} logits of every position`,
  });
  art.append(
    svg("text", { class: side, x: 0, y: em * 0.9 }, `${side} logits`),
    svg("line", { class: "rule", x1: pad * 0.5, x2: width - pad * 0.5, y1: y, y2: y }),
    ...ticks(x, { room: em * 3, em, least: 1 }).map(({ at, text }) =>
      svg("text", { class: "quiet", x: at, y: y + em * 1.4, "text-anchor": "middle" }, text)
    ),
  );
  const labels = new Set(picture.windows[w.index][side].map(([pos]) => pos));
  const order = [...logits.keys()].sort((a, b) => logits[b] - logits[a]);
  const handles = new Set([...order.slice(0, HANDLES), w.clsAt, ...labels]);
  const parts = {
    art,
    x,
    y,
    em,
    low,
    high,
    width,
    side,
    labels,
    named: order.slice(0, NAMED),
    marks: new Map(),
    names: svg("g", {}),
    gaps: svg("g", {}),
    rule: svg("g", { class: "log-z" }),
  };
  art.append(parts.names, parts.gaps, parts.rule);
  for (let pos = 0; pos < logits.length; pos += 1) {
    const node = handles.has(pos)
      ? handle(held, parts, pos)
      : svg("line", { class: "tick", y1: y - em * 0.3, y2: y + em * 0.3 });
    parts.marks.set(pos, node);
    art.append(node);
  }
  const list = [...art.querySelectorAll("[role=slider]")];
  roving(art, "[role=slider]", {
    current: Math.max(0, list.findIndex((n) => n.classList.contains("is-gold"))),
  });
  held.axes[side] = parts;
  return art;
}

function handle(held, parts, pos) {
  const { w, page } = held;
  const { side, y, em } = parts;
  const gold = parts.labels.has(pos);
  const node = svg(
    "g",
    {
      class: `handle ${side}${gold ? " is-gold" : ""}`,
      role: "slider",
      tabindex: -1,
      "data-pos": pos,
      "aria-valuemin": parts.low.toFixed(2),
      "aria-valuemax": parts.high.toFixed(2),
      "aria-label": `${side} logit of ${w.tokens[pos]}, position ${pos}${
        gold ? ", the label" : ""
      }`,
    },
    svg("rect", { class: "target", x: -em * 0.5, y: y - em * 0.7, width: em, height: em * 1.4 }),
    gold
      ? svg("circle", { class: "gold dot-gold", cx: 0, cy: y, r: em * 0.38 })
      : svg("line", { class: "tick", x1: 0, x2: 0, y1: y - em * 0.5, y2: y + em * 0.5 }),
  );
  const move = (value) => {
    const v = Math.round(Math.min(parts.high, Math.max(parts.low, value)) * 100) / 100;
    held.drag = { side, pos, value: v };
    refresh(held);
  };
  const flush = () => {
    clearTimeout(held.timer);
    page.input("logit", held.pending);
    held.pending = null;
  };
  const send = () => {
    // another tick's change waits no longer
    if (held.pending && (held.pending.side !== side || held.pending.pos !== pos)) flush();
    clearTimeout(held.timer);
    held.pending = { ...held.drag, window: w.index };
    held.timer = setTimeout(flush, 250);
  };
  const now = () => rowOf(held, side)[pos];
  node.addEventListener("pointerdown", (event) => {
    node.setPointerCapture(event.pointerId);
    event.preventDefault();
    node.focus();
    held.from = { at: event.clientX, value: now() };
  });
  node.addEventListener("pointermove", (event) => {
    if (
      !node.hasPointerCapture(event.pointerId) || !held.from ||
      Math.abs(event.clientX - held.from.at) < 2
    ) return;
    move(held.from.value + ((event.clientX - held.from.at) / (parts.x(1) - parts.x(0))));
  });
  node.addEventListener("pointerup", (event) => {
    node.releasePointerCapture(event.pointerId);
    if (held.drag?.pos === pos && held.drag.side === side) send();
    else if (pos >= w.contextAt && pos < w.contextAt + w.docStop - w.docStart) {
      pick(held, side, pos);
    }
  });
  node.addEventListener("keydown", (event) => {
    const step = { ArrowUp: 0.1, ArrowDown: -0.1, PageUp: 1, PageDown: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    move(now() + step);
    send();
  });
  return node;
}

/**
 * A tick that is clicked and not dragged selects its token, as everywhere: start keeps the end, end
 * keeps the start.
 */
function pick({ page, w }, side, pos) {
  const doc = pos - w.contextAt + w.docStart;
  const chosen = page.selection?.window === w.index ? page.selection : null;
  if (side === "start") {
    page.select({ window: w.index, start: doc, end: Math.max(doc, chosen?.end ?? doc) });
  } else page.select({ window: w.index, start: Math.min(doc, chosen?.start ?? doc), end: doc });
}

function rowOf({ w, drag }, side) {
  if (drag?.side !== side) return w[side];
  const row = Float64Array.from(w[side]);
  row[drag.pos] = drag.value;
  return row;
}

// Everything that follows from the logits ---------------------------------------------------------

function refresh(held) {
  const { picture, w, axes: both } = held;
  const found = {};
  for (const side of SIDES) {
    found[side] = head(rowOf(held, side), picture.windows[w.index][side], held.alone);
    place(held, both[side], found[side]);
  }
  const printed = sums([found.start.loss / 2, found.end.loss / 2]);
  const many = held.page.reading.windows.length > 1;
  held.total.replaceChildren(
    many ? `window ${w.index + 1}: ` : "",
    "loss = ½ · gap of the ",
    el("span", { class: "role-start" }, "start"),
    " + ½ · gap of the ",
    el("span", { class: "role-end" }, "end"),
    " = ",
    el("span", { class: "role-start" }, printed.addends[0]),
    " + ",
    el("span", { class: "role-end" }, printed.addends[1]),
    ` ${printed.sign} `,
    el("strong", {}, printed.total),
    held.alone ? ` — ${aloneSays(found.start.sparse.length, found.end.sparse.length)}` : "",
    held.drag ? " — one logit is moved by hand" : "",
  );
  if (!held.alone) arrows(held.text, { picture, page: held.page, w, found });
}

function place(held, parts, { logits, z, sparse }) {
  const { x, y, em, marks, rule, gaps, names, width } = parts;
  for (const [pos, node] of marks) {
    if (node.tagName === "g") {
      node.setAttribute("transform", `translate(${x(logits[pos])},0)`);
      node.setAttribute("aria-valuenow", logits[pos].toFixed(2));
      node.setAttribute("aria-valuetext", fixed(logits[pos]));
    } else {
      node.setAttribute("x1", x(logits[pos]));
      node.setAttribute("x2", x(logits[pos]));
    }
  }
  const at = x(z);
  const left = at > width - em * 6;
  rule.replaceChildren(
    svg("line", { class: "rule-ink", x1: at, x2: at, y1: em * 1.2, y2: y + em * 3.6 }),
    svg(
      "text",
      { x: at + (left ? -5 : 5), y: em * 1.8, "text-anchor": left ? "end" : "start" },
      `log Z ${fixed(z)}`,
    ),
  );
  const shown = [...sparse].sort((a, b) => b[1] - a[1]).slice(0, 2);
  gaps.replaceChildren(
    ...shown.flatMap(([pos, weight], k) => gap(logits[pos], z, weight, parts, k)),
  );
  label(held, parts, logits);
  if (!names.isConnected) parts.art.append(names);
}

function gap(logit, z, weight, { x, y, em }, row) {
  const [a, b] = [x(logit), x(z)];
  const h = y + em * (2.3 + 1.7 * row);
  const share = weight < 1 ? `${weight.toFixed(2)} · ` : "";
  const text = `${share}(−log p) = ${share}${fixed(z - logit)}`;
  const long = text.length * em * 0.44;
  const [at, base, anchor] = b - a > long
    ? [(a + b) / 2, h + em * 1.1, "middle"]
    : a > long + 8
    ? [a - 8, h + em * 0.3, "end"]
    : [b + 8, h + em * 0.3, "start"];
  return [
    svg("path", {
      class: "gap",
      d: `M${a},${h - 5}V${h + 5}M${a},${h}H${b}M${b},${h - 5}V${h + 5}`,
    }),
    svg("text", { class: "name", x: at, y: base, "text-anchor": anchor }, text),
  ];
}

/** Names of the highest ticks, the labels and [CLS], in rows where they do not touch. */
function label({ w }, { x, y, em, names, named, labels, width }, logits) {
  const taken = [];
  const out = [];
  for (const pos of [...labels, ...named, w.clsAt].filter((p, k, all) => all.indexOf(p) === k)) {
    const text = w.tokens[pos];
    const short = Array.from(text).slice(0, 12).join("");
    const half = short.length * em * 0.26 + 4;
    const at = Math.min(Math.max(x(logits[pos]), half), width - half);
    for (let row = 0; row < 2; row += 1) {
      if (taken.some((t) => t.row === row && Math.abs(t.at - at) < t.half + half)) continue;
      taken.push({ row, at, half });
      const base = y - em * (0.9 + 1.05 * row);
      out.push(
        svg("line", {
          class: "leader",
          x1: x(logits[pos]),
          x2: x(logits[pos]),
          y1: y - em * 0.5,
          y2: base + 3,
        }),
        svg("text", {
          class: labels.has(pos) ? "gold name" : "name",
          x: at,
          y: base,
          "text-anchor": "middle",
        }, short),
      );
      break;
    }
  }
  names.replaceChildren(...out);
}

// The bridge --------------------------------------------------------------------------------------

function bridge(picture, page) {
  const { loss, inWindow, i, j } = picture.bridge;
  const w = page.reading.windows[picture.window];
  const gold = i >= w.contextAt && i < w.contextAt + w.docStop - w.docStart
    ? { window: w.index, start: i - w.contextAt + w.docStart, end: j - w.contextAt + w.docStart }
    : null;
  const [zs, ze, minus] = loss.addends;
  const spaced = minus.startsWith("\u2212") ? `\u2212 ${minus.slice(1)}` : `+ ${minus}`;
  return el(
    "div",
    { class: "bridge" },
    el(
      "p",
      { class: "tabular" },
      el("strong", {}, "The bridge "),
      `for the label's pair (${i}, ${j}): 2 · its loss = log Z`,
      el("sub", {}, "s"),
      " + log Z",
      el("sub", {}, "e"),
      " − score = ",
      `${zs} + ${ze} ${spaced} ${loss.sign} ${loss.total};  exp(−2 · loss) = `,
      el("strong", {}, inWindow),
      ", which chapter 4 prints as its probability in the window at temperature 1. Both log " +
        "Z are the same for every pair of the window, so the pair with the highest score is " +
        "the most probable legal pair.",
    ),
    gold
      ? el("button", {
        type: "button",
        class: "act",
        onclick: () => {
          page.select(gold);
          document.getElementById("tab-spans")?.click();
        },
      }, "see the label's pair among all pairs (chapter 4)")
      : null,
  );
}

export function select() {/* the selection is the formula's; nothing here moves */}
