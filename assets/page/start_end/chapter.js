// Chapter 3: an overview of all windows, the words of one with their stems, temperature and single
// logits by hand, bars in a fold.

import { bars } from "./bars.js";
import { el, fold, hollow, sign, svg } from "../shared/dom.js";
import { selectable, spanFor } from "../shared/keys.js";
import { controls, lift } from "./levers.js";
import { fixed } from "../shared/numbers.js";
import { joiner, softmax } from "../shared/pack.js";
import { owning, partner } from "../shared/pairs.js";
import { paragraph } from "../shared/paragraph.js";
import { staircase } from "./staircase.js";
import { makeScale } from "../shared/stems.js";
import { tip } from "../shared/tip.js";
import { kept } from "../shared/views.js";

const { draw, select } = kept({ make, paint, select: moved });

export { draw, select };

function paint(view) {
  if (view.stamp !== view.page.reading.stamp) renew(view);
  order(view);
  const now = model(view);
  settle(view, now);
  view.map.draw(now);
  view.detail.draw(now);
  drawBars(view);
  ask(view);
}

function settle(view, now) {
  view.levers.update(now, view.picture);
  view.lift.update(now, view.picture);
  notes(view);
}

function moved(view) {
  if (view.stamp !== view.page.reading.stamp) return paint(view);
  const now = model(view);
  const other = view.index !== now.window.index;
  if (other) view.drag = null;
  view.index = now.window.index;
  settle(view, now);
  view.map.mark(now);
  if (other) view.detail.draw(now);
  else view.detail.mark(now);
  view.bars.mark(now);
  ask(view);
  return undefined;
}

// New numbers: what was sent by hand is let go once it comes back, so that an older answer never
// moves a slider under the hand.
function renew(view) {
  const { reading } = view.page;
  const text = `${reading.question}\u0001${reading.context}`;
  const other = text !== view.read;
  const { drag } = view;
  const now = drag && (reading.windows[drag.window]?.[drag.side][drag.pos] ?? drag.value);
  if (other || (drag && Math.abs(now - drag.value) < 1e-3)) view.drag = null;
  if (other || reading.temperature === view.temperature) view.temperature = null;
  Object.assign(view, { stamp: reading.stamp, read: text, spreads: new Map() });
}

// On a phone the text comes first, to be seen on the first screen: what changes it stands below,
// and of one window the text is the overview.
function order({ page, levers, map, detail }) {
  map.root.hidden = page.narrow && page.reading.windows.length === 1;
  const before = page.narrow ? detail.root : null;
  if (levers.root.previousElementSibling === before) return;
  if (before) before.after(levers.root);
  else map.root.before(levers.root);
}

function make(root) {
  const view = { drag: null, temperature: null, log: false, spreads: new Map(), pending: null };
  const choose = (side, doc) => pick(view, side, doc);
  view.levers = controls({
    scale: (log) => {
      view.log = log;
      paint(view);
    },
    temperature: (value, done) => turn(view, value, done),
    window: (index) => open(view, index),
  });
  view.lift = lift({
    drag: (drag) => {
      view.drag = drag;
      view.detail.restem(model(view));
    },
    send: (change) => {
      if (change.value === null) view.drag = null;
      view.page.input("logit", change, `logit ${change.window} ${change.side} ${change.doc}`);
    },
  });
  view.tip = tip({ class: "readout" });
  const tell = (index, doc, at = null) => readout(view, index, doc, at);
  view.map = staircase(
    (index, side, doc) => pick(view, side, doc, index, false),
    (found, at) => tell(found?.window ?? null, found?.doc ?? null, at),
  );
  view.detail = paragraph({ selects: true });
  selectable(view.detail.root, {
    rows: ["start", "word", "end"],
    now: () => ({ chosen: held(view), dir: view.detail.view.broken.dir }),
    commit: (span) => view.page.select({ window: model(view).window.index, ...span }),
    pend: (span) => {
      view.pending = span;
      view.detail.mark(model(view));
    },
    tell: (doc, at) => tell(doc === null ? null : model(view).window.index, doc, at),
  });
  view.bars = bars(choose, () => view.page.input("bars", true));
  view.barFold = fold("bars: hover and zoom", view.bars.root, {
    id: "start_end-bars",
    ontoggle: () => drawBars(view),
  });
  view.notes = el("p.side-notes.tabular");
  view.stage = el(
    "div.start-end",
    view.levers.root,
    view.map.root,
    view.notes,
    view.detail.root,
    view.tip.node,
    el(
      "p.hint",
      "Point at a stem or a word, or move with the arrow keys: above sets the start, below " +
        "the end.",
    ),
    legend(),
    el(
      "div.folds",
      fold("raise or lower a logit", view.lift.root, { id: "start_end-lift" }),
      view.barFold,
    ),
  );
  root.replaceChildren(view.stage);
  return view;
}

function legend() {
  const size = [20, 14];
  return el(
    "p.legend",
    sign(size, svg("path.mark-predicted", "M2,5v5H18v-5"), "predicted"),
    sign(size, svg("rect.mark-selected", [2, 2, 16, 10, 2]), "selected"),
    sign(size, svg("path.mark-gold", "M1,5H19M1,8H19"), "gold answer", "span.of-gold"),
    sign(size, hollow(10, 11, "start", 5), "highest start"),
    sign(size, hollow(10, 3, "end", 5), "highest end"),
    el("span.role-quiet.elsewhere", "grey words: owned by another window"),
  );
}

const temperatureOf = (view) => view.temperature ?? view.page.reading.temperature ?? 1;

function held(view) {
  const chosen = view.page.selection;
  return chosen && chosen.window === model(view).window.index ? chosen : null;
}

// Softmax of a window over all its positions, kept until the numbers change.
function spread(view, index) {
  const temperature = temperatureOf(view);
  const key = `${index} ${temperature}`;
  if (!view.spreads.has(key)) {
    if (view.spreads.size > 400) view.spreads.clear();
    const w = view.page.reading.windows[index];
    view.spreads.set(key, {
      start: softmax(w.start, temperature),
      end: softmax(w.end, temperature),
    });
  }
  return view.spreads.get(key);
}

function model(view) {
  const { page, picture, drag } = view;
  const index = page.selection?.window ?? picture.window;
  const w = page.reading.windows[index];
  const logits = { start: w.start, end: w.end };
  const p = { ...spread(view, index) };
  if (drag && drag.window === index) {
    logits[drag.side] = Float64Array.from(logits[drag.side]);
    logits[drag.side][drag.pos] = drag.value;
    p[drag.side] = softmax(logits[drag.side], temperatureOf(view));
  }
  return {
    page,
    window: w,
    logits,
    p,
    log: view.log,
    temperature: temperatureOf(view),
    pending: view.pending,
    question: picture.question,
    width: view.root.clientWidth,
    spread: (k) => (k === index ? p : spread(view, k)),
    joins: joiner(picture.joined),
    apart: { start: w.highest(logits.start), end: w.highest(logits.end) },
    byHand: (side, pos) =>
      picture.changed.some((c) => c.window === index && c.side === side && c.pos === pos) ||
      (drag?.window === index && drag.side === side && drag.pos === pos),
    scale: makeScale({ log: view.log, n: w.n, size: page.scale }),
  };
}

function notes(view) {
  const { picture, page } = view;
  const { window: w, temperature } = model(view);
  const settled = picture.window === w.index && temperature === (page.reading.temperature ?? 1) &&
    !view.drag;
  view.root.querySelector(".elsewhere").hidden = page.reading.windows.length < 2;
  view.root.querySelector(".of-gold").toggleAttribute("hidden", !page.reading.gold.length);
  view.notes.replaceChildren(
    el("span", `window ${w.index + 1} of ${page.reading.windows.length}, ${w.n} positions`),
    ...(settled ? ["start", "end"] : []).map((side) =>
      el(`span.role-${side}`, `${side}: ${picture.notes[side]}`)
    ),
  );
}

function readout(view, index, doc, at) {
  if (doc === null || index === null || at === null) {
    view.tip.hide();
    return;
  }
  const now = model(view);
  const w = view.page.reading.windows[index];
  const pos = w.pos(doc);
  const p = now.spread(index);
  const logits = index === now.window.index ? now.logits : w;
  const said = (side) =>
    el(
      `span.role-${side}`,
      `${side}_logit ${fixed(logits[side][pos], 3)}, P(${side}) ${tiny(p[side][pos])}`,
    );
  view.tip.show(
    at,
    el("bdi.read-token", w.tokens[pos]),
    ` position ${pos}${view.page.reading.windows.length > 1 ? ` of window ${index + 1}` : ""}: `,
    said("start"),
    "; ",
    said("end"),
  );
}

const tiny = (p) => (p < 0.0001 ? "< 0.0001" : fixed(p, 4));

function turn(view, value, done) {
  view.temperature = value;
  const now = model(view);
  view.map.draw(now);
  view.detail.restem(now);
  notes(view);
  if (done) view.page.input("temperature", value);
}

// The same span where the window holds it, else the window's best.
function open(view, index) {
  const { page, picture } = view;
  const w = page.reading.windows[index];
  const chosen = page.selection;
  const [start, end] = chosen && w.holds(chosen.start) && w.holds(chosen.end)
    ? [chosen.start, chosen.end]
    : picture.best[index] ?? [w.docStart, w.docStart];
  page.select({ window: index, start, end });
}

// A stem sets its end of the span and keeps the other; in another window, and in the overview, its
// best legal partner is taken.
function pick(view, side, doc, index = model(view).window.index, keep = true) {
  const { page, picture } = view;
  const chosen = held(view);
  if (keep && index === model(view).window.index && chosen) {
    page.select({ window: index, ...spanFor({ row: side, first: doc, last: doc }, chosen, false) });
    return;
  }
  const w = page.reading.windows[index];
  const rule = { longest: picture.longest, owns: owning(page.reading, w, picture.copies) };
  const other = side === "start" ? "end" : "start";
  const best = w.doc(partner(w, side, w.pos(doc), w[other], rule));
  page.select({ window: index, start: doc, end: doc, [other]: best });
}

function drawBars(view) {
  if (view.barFold.open && view.picture.window === model(view).window.index) {
    view.bars.draw(model(view), view.picture.bars);
  }
}

// Notes, bars and table are sent for one window: when Python has the selection and it stands in
// another, ask for that one.
function ask(view) {
  const { page, picture } = view;
  const chosen = page.selection;
  const key = `${page.reading.stamp} ${chosen?.window}`;
  if (
    !chosen?.record || chosen.window === picture.window ||
    chosen.record.stamp !== page.reading.stamp
  ) return;
  if (view.asked === key && view.askedOf === picture) return;
  Object.assign(view, { asked: key, askedOf: picture });
  view.page.input("window", [chosen.window, chosen.start, chosen.end]);
}
