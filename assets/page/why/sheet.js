// Question and paragraph of one window as typed, with a lane of numbers above and one below:
// chapter 3's geometry for signed values.

import { el, focusIn, isPress, put, sized, svg } from "../shared/dom.js";
import { breakLines, centre, folding, laned, makeLine, markSpan, settle } from "../shared/lines.js";

const SHORT = 6;
const FAINT = 0.08;
const NAMED = 6;

/**
 * {root, draw(model)}: model is {page, w, seats, above, below, kinds, names, byWord, fold,
 * folded, marks, pin, label, print(x, peak), point(pos), commit(range, shift)} and perhaps
 * `steady` and `least`, the lowest lane in pixels; nothing is pointed at where `pos` is null. `names` are the words for a
 * number above and below; lines where the lanes of `fold` are faint stay closed.
 */
export function sheet() {
  const rows = el("div.why-rows");
  const root = el("div.why-sheet[role=group]", rows);
  /** @type {any} */
  const view = { root, rows, key: "", lines: [], piece: 0 };
  listen(view);
  return {
    root,
    draw(model) {
      view.model = model;
      root.setAttribute("aria-label", model.label);
      const { page, w, seats } = model;
      const key = [page.reading.stamp, w.index, rows.clientWidth, page.scale, seats.question.text]
        .join("\u0001");
      if (key !== view.key) lay(view, key);
      redo(view);
    },
  };
}

function lay(view, key) {
  const { page, w, seats } = view.model;
  const { text, at, offsets } = seats.question;
  const asked = {
    context: text,
    tokens: Array.from(
      { length: offsets.length / 2 },
      (_, k) => ({ start: offsets[2 * k], end: offsets[2 * k + 1] }),
    ),
    first: 0,
    last: offsets.length / 2 - 1,
    joins: (k) => seats.of[at + k] === seats.of[at + k - 1],
  };
  const { context, tokens } = page.reading;
  const read = {
    context,
    tokens,
    first: w.docStart,
    last: w.docStop - 1,
    joins: (d) => tokens[d].word === tokens[d - 1]?.word,
  };
  const width = view.rows.clientWidth;
  const cut = (kind, source, toPos) => {
    const found = breakLines(view.rows, source, width);
    return found.map((line) => ({ kind, line, source, toPos, dir: found.dir }));
  };
  view.broken = [
    { kind: "special" },
    ...cut("question", asked, (k) => at + k),
    ...cut("context", read, w.pos),
  ];
  Object.assign(view, { key, shown: "", built: new Map(), opened: new Set() });
}

// [CLS] and the separators have no place in the text: a first grey row, one button each, and where
// each separator stands.
function specialLine({ w, seats }) {
  const spans = new Map();
  const seat = (pos) =>
    pos === w.n - 1 ? "at the end" : pos > w.clsAt ? "after the question" : null;
  const line = el(
    "div.lined.words.special",
    seats.special.map((pos, k) => {
      const span = el("span.unit.faded", w.tokens[pos]);
      spans.set(k, { span, unit: { first: k, last: k } });
      return [
        el("span.word[role=button][tabindex=-1]", { dataset: { first: k, last: k } }, span),
        seat(pos) ? el("span.seat", ` ${seat(pos)}`) : null,
        "   ",
      ];
    }),
  );
  return { ...laned(line), spans, first: 0, last: seats.special.length - 1 };
}

function positions({ kind, line, toPos }, seats) {
  if (kind === "special") return seats.special;
  const out = [];
  for (let d = line.units[0].first; d <= line.units.at(-1).last; d += 1) out.push(toPos(d));
  return out;
}

function place(view) {
  const { model, broken } = view;
  const peak = highest(model.fold);
  const long = broken.length - 1 > SHORT;
  const notable = (one, k) =>
    !long || one.kind !== "context" || view.opened.has(k) ||
    model.marks.some(({ start, end }) =>
      start <= one.line.units.at(-1).last && end >= one.line.units[0].first
    ) ||
    positions(one, model.seats).some((pos) =>
      pos === model.pin ||
      Math.max(Math.abs(model.fold.above[pos]), Math.abs(model.fold.below[pos])) >= FAINT * peak
    );
  const open = broken.map(notable);
  const shown = open.map(Number).join("");
  if (shown === view.shown) return;
  const held = posOf(view, focusIn(view.root));
  Object.assign(view, { shown, lines: [], folds: [] });
  const line = (k) => {
    if (!view.built.has(k)) view.built.set(k, build(broken[k], model));
    view.lines.push(view.built.get(k));
    return view.built.get(k).node;
  };
  const fold = (from, to) => {
    const at = broken.slice(from, to + 1).flatMap((one) => positions(one, model.seats));
    const button = el("button.folded", {
      onclick: () => {
        for (let k = from; k <= to; k += 1) view.opened.add(k);
        redo(view);
        view.seat.get(at[0])?.word.focus({ preventScroll: true });
      },
    });
    view.folds.push({ button, at });
    return button;
  };
  const nodes = folding(open, line, fold);
  // only lines of the context are ever folded
  nodes.splice(
    broken.findIndex(({ kind }) => kind === "context"),
    0,
    el("div.between[aria-hidden=true]"),
  );
  // removing the focused word sends focusout in the middle of this, when the new lines have no
  // places yet
  view.placing = true;
  view.rows.replaceChildren(...nodes);
  view.placing = false;
  settle(view.lines);
  view.seat = new Map();
  for (const line of view.lines) {
    for (const [d, { span }] of line.spans) {
      view.seat.set(line.toPos(d), { line, d, word: span.closest(".word") });
    }
  }
  stop(view, held === null ? view.rows.querySelector(".word") : view.seat.get(held)?.word);
  if (held !== null) view.seat.get(held)?.word.focus({ preventScroll: true });
}

function redo(view) {
  place(view);
  fill(view);
  marks(view);
}

function build(one, model) {
  if (one.kind === "special") {
    return Object.assign(specialLine(model), {
      kind: "special",
      toPos: (k) => model.seats.special[k],
    });
  }
  return Object.assign(makeLine(one.line, one.source, one.dir), {
    kind: one.kind,
    source: one.source,
    toPos: one.toPos,
  });
}

/** What the pieces of a word have together. */
export const sumOf = (lane, { of }, word) =>
  of.reduce((sum, one, pos) => sum + (one === word ? lane[pos] : 0), 0);

const highest = ({ above, below }) =>
  Math.max(1e-12, ...[above, below].flatMap((lane) => Array.from(lane, Math.abs)));

// One cell a token, or one a word: a word cut by a line's end shows its whole sum on each part.
function cells(line, lane, { seats, byWord }) {
  const at = [...line.places.keys()].map((d) => ({
    pos: line.toPos(d),
    x: centre(line, d),
    value: lane[line.toPos(d)],
  }));
  if (!byWord || line.kind === "special") return at;
  const groups = new Map();
  for (const cell of at) {
    groups.set(seats.of[cell.pos], [...(groups.get(seats.of[cell.pos]) ?? []), cell]);
  }
  return [...groups].map(([word, group]) => ({
    pos: group[0].pos,
    x: (group[0].x + group.at(-1).x) / 2,
    value: sumOf(lane, seats, word),
  }));
}

function fill(view) {
  const { model } = view;
  const lanes = ["above", "below"].map((side) => ({
    side,
    values: model[side],
    byLine: view.lines.map((line) => cells(line, model[side], model)),
  }));
  const all = lanes.flatMap(({ byLine }) => byLine.flat());
  const peak = Math.max(1e-12, ...all.map((c) => Math.abs(c.value)));
  const named = new Set(
    model.steady
      ? []
      : [...all].sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, NAMED).filter((c) =>
        Math.abs(c.value) >= 0.1 * peak
      ),
  );
  for (const { side, byLine } of lanes) {
    view.lines.forEach((line, k) =>
      lane(line[side], side, byLine[k], { ...model, peak, named, width: line.width })
    );
  }
  for (const { button, at } of view.folds) {
    const sum = (side) =>
      `${model.names[side]} ${
        model.print(at.reduce((total, pos) => total + model[side][pos], 0), peak)
      }`;
    button.replaceChildren(
      `… ${at.length} ${model.folded} `,
      el("span", { class: `role-${model.kinds.above}` }, sum("above")),
      ", ",
      el("span", { class: `role-${model.kinds.below}` }, sum("below")),
    );
  }
  speak(view, peak);
}

// What a screen reader says of a word: its text and both numbers, as they stand above and below it;
// a word of many pieces has their sums.
function speak({ model, seat }, peak) {
  const { seats, names, print, above, below } = model;
  const sums = new Map();
  seats.of.forEach((of, pos) => {
    const [a, b] = sums.get(of) ?? [0, 0];
    sums.set(of, [a + above[pos], b + below[pos]]);
  });
  const said = new Set();
  for (const [pos, { word }] of seat) {
    if (said.has(word)) continue;
    said.add(word);
    const [a, b] = seats.of[pos] < 0 ? [above[pos], below[pos]] : sums.get(seats.of[pos]);
    const text = `${word.textContent}: ${names.above} ${print(a, peak)}, ${names.below} ${
      print(b, peak)
    }`;
    if (word.getAttribute("aria-label") !== text) word.setAttribute("aria-label", text);
  }
}

// Where other numbers come while the pointer is on the words (`steady`), no lane changes its height,
// or the words would run away from under it: bars stay small, their numbers stand in the read-out.
function lane(
  node,
  side,
  list,
  { page, kinds, peak, named, width, print, steady = false, least = 5 },
) {
  const size = page.scale;
  const [full, thick, label] = [(steady ? least - 2 : 46) * size, 5 * size, 15 * size];
  // under one pixel nothing is drawn: the table has it
  const tall = (c) => (full * Math.abs(c.value)) / peak;
  const height = (steady && Number(node.getAttribute("height"))) ||
    Math.ceil(Math.max(least * size, ...list.map((c) => tall(c) + (named.has(c) ? label : 2))));
  const up = side === "above";
  sized(node, width, height);
  const bars = list.filter((c) => tall(c) >= 1).map((c) =>
    svg("rect", [c.x - thick / 2, up ? height - tall(c) : 0, thick, tall(c)], {
      class: `bar ${kinds[side]}${c.value < 0 ? " against" : ""}`,
    })
  );
  const taken = [];
  const texts = list.filter((c) => named.has(c)).sort((a, b) => tall(b) - tall(a)).flatMap((c) => {
    const text = print(c.value, peak);
    const half = (text.length * 7.5 * size) / 2;
    const at = {
      x: Math.min(Math.max(c.x, half), width - half),
      y: up ? height - tall(c) - 3 : tall(c) + 12 * size,
    };
    if (taken.some((o) => Math.abs(o.x - at.x) < o.half + half && Math.abs(o.y - at.y) < label)) {
      return []; // the larger one keeps its number
    }
    taken.push({ ...at, half });
    return [svg("text[text-anchor=middle]", { class: kinds[side], ...at }, text)];
  });
  node.replaceChildren(...bars, ...texts);
}

function marks({ model, lines, seat }) {
  for (const line of lines) {
    put(
      line.marks,
      line.ticks,
      line.kind === "context" && model.marks.map((m) => markSpan(line, m.kind, m.start, m.end)),
    );
  }
  const pin = seat.get(model.pin);
  if (pin) pin.line.marks.append(...markSpan(pin.line, "pin", pin.d, pin.d));
  for (const { word } of seat.values()) word.removeAttribute("aria-pressed");
  if (pin) pin.word.setAttribute("aria-pressed", "true");
}

// Pointing, and keys: left and right move between words, up and down between the pieces of a word.

function stop(view, word) {
  view.rows.querySelectorAll(".word[tabindex='0']").forEach((other) =>
    other.setAttribute("tabindex", "-1")
  );
  word?.setAttribute("tabindex", "0");
}

function posOf(view, node) {
  const word = node?.closest?.(".word");
  const line = word && view.lines.find((one) => one.node.contains(word));
  if (!line) return null;
  const unit = node.closest(".unit");
  for (const [d, held] of line.spans) {
    if (
      held.span === unit && d >= Math.min(held.unit.last, held.unit.first + (held.unit.lead ?? 0))
    ) return line.toPos(d);
  }
  return line.toPos(Math.min(Number(word.dataset.last), Number(word.dataset.first) + view.piece));
}

function rangeOf(view, node, pos) {
  const word = node.closest(".word");
  const { line } = view.seat.get(pos);
  return {
    pos,
    doc: line.kind === "context"
      ? { start: Number(word.dataset.first), end: Number(word.dataset.last) }
      : null,
  };
}

function listen(view) {
  const { root } = view;
  const at = (event) => (event.target.closest(".word") ? posOf(view, event.target) : null);
  root.addEventListener("pointerover", (event) => {
    const pos = at(event);
    if (pos !== null) view.model.point(pos);
  });
  root.addEventListener("pointerleave", () => view.model.point(null));
  root.addEventListener("focusin", (event) => {
    const word = event.target.closest(".word");
    if (!word || !word.matches(":focus-visible")) return;
    stop(view, word);
    view.model.point(posOf(view, word));
  });
  root.addEventListener("focusout", (event) => {
    if (!view.placing && !root.contains(event.relatedTarget)) view.model.point(null);
  });
  root.addEventListener("click", (event) => {
    const pos = at(event);
    if (pos === null) return;
    view.piece = 0;
    stop(view, event.target.closest(".word"));
    view.model.commit(rangeOf(view, event.target, pos), event.shiftKey);
  });
  root.addEventListener("keydown", (event) => {
    const word = event.target.closest(".word");
    if (!word) return;
    const list = [...view.rows.querySelectorAll(".word")];
    const rtl = getComputedStyle(word).direction === "rtl" ? -1 : 1;
    const step =
      { ArrowRight: rtl, ArrowLeft: -rtl, Home: -list.length, End: list.length }[event.key];
    const down = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      if ((view.model.pin ?? null) === null) return; // it leaves the picture
      view.model.commit(null, false);
    } else if (isPress(event)) {
      view.model.commit(rangeOf(view, word, posOf(view, word)), event.shiftKey);
    } else if (step) {
      view.piece = 0;
      list[Math.max(0, Math.min(list.length - 1, list.indexOf(word) + step))].focus();
    } else if (down) {
      view.piece = Math.max(
        0,
        Math.min(Number(word.dataset.last) - Number(word.dataset.first), view.piece + down),
      );
      view.model.point(posOf(view, word));
    } else return;
    event.preventDefault();
  });
}
