// Step 1, measure: one logit axis for each head; the gap from the label to log Z is -log p. Ticks
// can be dragged. Arrows of y - p below.

import { bridge } from "./bridge.js";
import { choice } from "../shared/controls.js";
import { drawGaps, floor, fullDomain, ROW, rowsFor } from "./gaps.js";
import { drawing, el, fold, isPress, roving, svg } from "../shared/dom.js";
import { spanFor } from "../shared/keys.js";
import { aloneSays, head, SIDES } from "./math.js";
import { arrows } from "./text.js";
import { fixed, means, rounded } from "../shared/numbers.js";
import { clipped } from "../shared/prose.js";
import { placeLabels } from "../shared/rows.js";
import { clamp, extent, scaleLinear, ticks } from "../shared/scales.js";

const HANDLES = 40;
const NAMED = 7;
const NAME = 12;

export function draw(root, picture, page, held) {
  const width = root.clientWidth || 600;
  const w = page.reading.windows[picture.window];
  Object.assign(held, { picture, page, w, drag: null, axes: {}, width });
  held.alone ??= false;
  held.total = el("p.total-live.tabular[aria-live=polite]");
  held.text = el("div.arrows");
  const box = el("input#loss-alone[type=checkbox]", {
    checked: held.alone,
    onchange: (event) => {
      held.alone = event.target.checked;
      refresh(held);
    },
  });
  const parts = SIDES.map((side) => axis(held, side));
  root.replaceChildren(
    el("p.says.veil-part", picture.says),
    ...windows(picture, page),
    el("div.veil-part", ...parts, held.total),
    el(
      "div.folds.veil-part",
      kept(held, "try", "change a logit", trial(box)),
      kept(held, "pulls", "what a step pulls", held.text),
      kept(held, "bridge", "the bridge to chapter 4", bridge(picture, page)),
    ),
  );
  refresh(held);
}

function windows(picture, page) {
  const { windows: all, window } = picture;
  if (all.length < 2) return [];
  const items = all.map(({ holds }, k) => [k, `${k + 1} of ${all.length}: holds ${holds}`]);
  const which = choice({ id: "loss-window" }, items, window, (k) => page.input("window", k));
  return [el("label.lever", "window ", which)];
}

const trial = (box) =>
  el(
    "div.levers",
    el("label.lever", box, "normalise over the label alone"),
    el(
      "span.role-quiet",
      "Drag a tick, or choose one with the arrow keys and move it with up and down.",
    ),
  );

/** A fold that stays open when the step is drawn again. */
function kept(held, key, title, content) {
  held.open ??= {};
  const ontoggle = ({ currentTarget }) => {
    held.open[key] = currentTarget.open;
    refresh(held); // the words have a width now
  };
  return fold(title, content, { open: held.open[key], id: `loss-${key}`, ontoggle });
}

// An axis -----------------------------------------------------------------------------------------

/** The part of the axis that is shown; it only grows while the texts stay, so that no tick moves away
 * from the pointer that dropped it.
 */
function domainOf(held, side, sparse) {
  const { page, w, domains } = held;
  const { question, context, reader } = page.reading;
  const key = [question, context, reader, w.index].join("\n");
  held.domains = domains?.key === key ? domains : { key };
  const known = held.domains[side] ?? [];
  held.domains[side] = extent([...known, ...fullDomain(w[side], sparse.map(([pos]) => pos))]);
  return held.domains[side];
}

function axis(held, side) {
  const { picture, page, w, width } = held;
  const em = 16 * page.scale;
  const logits = w[side];
  const sparse = picture.windows[w.index][side];
  const shown = domainOf(held, side, sparse);
  const [low, high] = extent([...picture.range, ...logits]);
  const lower = logits.filter((v) => v < shown[0]).length;
  const column = em * (page.narrow ? 5.8 : 10);
  const x = scaleLinear(shown, [em * 2.2, width - column - em]);
  const y = em * 3.8;
  const height = y + em * (2.6 + ROW * rowsFor(sparse));
  const art = drawing(width, height, {
    class: `axis ${side}`,
    role: "group",
    "aria-label": `${side} logits of every position`,
  });
  art.append(
    svg(`text.${side}`, [0, em * 0.9], `${side} logits`),
    svg("line.rule", [0, y, width - column, y]),
    // the left end belongs to what stands lower
    ...ticks(x, { room: em * 12, em, least: 1 }).filter(({ at }) => !lower || at > em * 6.5).map((
      { at, text },
    ) => svg("text.quiet", [at, y + em * 1.4, "middle"], text)),
    ...(lower ? [svg("text.quiet", [0, y + em * 1.4], `← ${lower} lower`)] : []),
  );
  const labels = new Set([...sparse].sort((a, b) => b[1] - a[1]).map(([pos]) => pos));
  const order = [...logits.keys()].sort((a, b) => logits[b] - logits[a]);
  const handles = new Set([...order.slice(0, HANDLES), w.clsAt, ...labels]);
  const parts = {
    art,
    x: (v) => clamp(x(v), em * 0.6, width - column - 2),
    unit: x(1) - x(0),
    y,
    em,
    low,
    high,
    shown,
    right: width - column,
    side,
    labels,
    narrow: page.narrow,
    named: order.slice(0, NAMED),
    marks: new Map(),
    names: svg("g"),
    gaps: svg("g"),
    rule: svg("g.log-z"),
  };
  art.append(parts.names, parts.gaps, parts.rule);
  for (let pos = 0; pos < logits.length; pos += 1) {
    const node = handles.has(pos)
      ? handle(held, parts, pos)
      : svg("line.tick", { y1: y - em * 0.3, y2: y + em * 0.3 });
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
    "g[role=slider][tabindex=-1]",
    {
      class: `handle ${side}${gold ? " is-gold" : ""}`,
      "data-pos": pos,
      "aria-valuemin": rounded(parts.low),
      "aria-valuemax": rounded(parts.high),
      "aria-label": `${side} logit of ${w.tokens[pos]}, position ${pos}${
        gold ? ", the label" : ""
      }`,
    },
    svg("rect.target", [-em * 0.5, y - em * 0.7, em, em * 1.4]),
    gold
      ? svg("circle.gold.dot-gold", [0, y, em * 0.38])
      : svg("line.tick", [0, y - em * 0.5, 0, y + em * 0.5]),
  );
  const move = (value) => {
    held.drag = { side, pos, value: Math.round(clamp(value, parts.low, parts.high) * 100) / 100 };
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
    const far = event.clientX - held.from?.at;
    if (!node.hasPointerCapture(event.pointerId) || Math.abs(far) < 2) return;
    move(held.from.value + far / parts.unit);
  });
  node.addEventListener("pointerup", (event) => {
    node.releasePointerCapture(event.pointerId);
    if (held.drag?.pos === pos && held.drag.side === side) send();
    else if (w.inside(pos)) pick(held, side, pos);
  });
  node.addEventListener("keydown", (event) => {
    if (isPress(event) && w.inside(pos)) {
      event.preventDefault();
      pick(held, side, pos);
      return;
    }
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
  const doc = w.doc(pos);
  const chosen = page.selection?.window === w.index ? page.selection : null;
  const span = spanFor({ row: side, first: doc, last: doc }, chosen, false);
  page.select({ window: w.index, ...span });
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
  }
  const printed = means(SIDES.map((side) => found[side].loss));
  for (const side of SIDES) place(held, both[side], found[side], printed.digits);
  held.total.replaceChildren(...totalOf(held, found, printed));
  if (!held.alone) arrows(held.text, { picture, page: held.page, w, found });
}

/** What the formula above does not say: this window's loss, a changed one, a floor above 0. */
function totalOf({ page, w, alone, drag }, found, printed) {
  const many = page.reading.windows.length > 1;
  const least = (floor(found.start.sparse) + floor(found.end.sparse)) / 2;
  if (!many && !alone && !drag) {
    return least > 0 ? [`The annotators differ: L stays above ${fixed(least)}.`] : [];
  }
  return [
    many ? `window ${w.index + 1}: ` : "",
    "loss = ½ · ",
    el("span.role-start", "start"),
    " + ½ · ",
    el("span.role-end", "end"),
    " = ½ · ",
    el("span.role-start", printed.addends[0]),
    " + ½ · ",
    el("span.role-end", printed.addends[1]),
    ` ${printed.sign} `,
    el("strong", printed.total),
    alone ? ` — ${aloneSays(found.start.sparse.length, found.end.sparse.length)}` : "",
    drag ? " — one logit is moved by hand" : "",
  ];
}

function place(held, parts, { logits, z, sparse }, digits) {
  const { x, marks, names } = parts;
  for (const [pos, node] of marks) {
    if (node.tagName === "g") {
      node.setAttribute("transform", `translate(${x(logits[pos])},0)`);
      node.setAttribute("aria-valuenow", rounded(logits[pos]));
      node.setAttribute("aria-valuetext", fixed(logits[pos]));
    } else {
      node.setAttribute("x1", x(logits[pos]));
      node.setAttribute("x2", x(logits[pos]));
    }
  }
  drawGaps(parts, { logits, z, sparse }, digits);
  label(held, parts, logits, z);
  if (!names.isConnected) parts.art.append(names);
}

/** Names of the highest ticks, the labels and [CLS], where nothing crosses them. */
function label({ w }, { x, y, em, names, named, labels, right, shown }, logits, z) {
  const ticks = [...new Set([...labels, ...named, w.clsAt])]
    .filter((pos) => logits[pos] >= shown[0])
    .map((pos) => {
      const text = clipped(w.tokens[pos], NAME);
      return { pos, text, x: x(logits[pos]), half: text.length * em * 0.29 + 4 };
    });
  // labels come first, the one with the largest share before all: two of them always have a name
  const ranked = ticks.map((tick, k) => ({ ...tick, rank: k < 2 && labels.has(tick.pos) ? 0 : 3 }));
  const places = placeLabels(ranked, { width: right, rule: x(z), rows: 2, pad: 4, slides: false });
  names.replaceChildren(...ticks.flatMap((tick, k) => {
    const place = places[k];
    if (place.row === null) return [];
    const base = y - em * (0.9 + 1.05 * place.row);
    return [
      svg("line.leader", [tick.x, y - em * 0.5, place.foot, base + 3]),
      svg("text", [place.at, base, "middle"], {
        class: labels.has(tick.pos) ? "words gold name" : "words name",
      }, tick.text),
    ];
  }));
}

export function select() {/* the selection is the formula's; nothing here moves */}
