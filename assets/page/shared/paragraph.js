// The detail of chapter 3: one window's words as typed, start stems above, end stems below; what is
// outside the paragraph first.

import { fixed, significant } from "./numbers.js";
import { el, focusIn, put, svg } from "./dom.js";
import * as text from "./lines.js";
import { mass } from "./pack.js";
import { fillLane } from "./stems.js";

const SHORT = 6;

/**
 * {root, draw(model), mark(model), restem(model)}: the first lays out what changed, the second
 * moves marks, the third only stems. Without `selects` it is only looked at: Tab passes it by.
 */
export function paragraph({ selects = false } = {}) {
  const rows = el("div.rows");
  const sum = (side) => el(`div.sum-one.${side}[aria-hidden=true]`, el("span", "sum = 1"));
  const root = el(
    "div.detail[role=group]",
    {
      "data-tips": "own",
      "aria-label": selects
        ? "Words of the window; arrow keys move between words, start stems above and end stems " +
          "below; Enter selects"
        : "Words of the window, start stems above and end stems below",
    },
    rows,
    sum("start"),
    sum("end"),
  );
  /** @type {any} */
  const view = {
    root,
    rows,
    key: "",
    broken: [],
    shown: "",
    lines: [],
    unfolded: new Set(),
    model: null,
  };
  return {
    root,
    view,
    draw(model) {
      view.model = model;
      const key = textKey(model, rows);
      if (key !== view.key) relay(view, model, key);
      place(view);
      restem(view);
      marks(view);
      if (selects) text.tabStop(root, "word", model.page.selection?.start ?? model.window.docStart);
    },
    mark(model) {
      view.model = model;
      if (place(view)) restem(view, false);
      marks(view);
      if (selects) text.tabStop(root, "word", model.page.selection?.start ?? model.window.docStart);
    },
    restem(model) {
      view.model = model;
      restem(view);
      marks(view);
    },
  };
}

function textKey({ page, window: w }, rows) {
  return [
    page.reading.context,
    w.docStart,
    w.docStop,
    rows.clientWidth,
    page.scale,
    page.reading.question,
  ].join("\u0001");
}

function relay(view, { page, window: w, joins }, key) {
  const faded = (d) => page.reading.owner[d] !== w.index;
  const { context, tokens } = page.reading;
  view.text = { context, tokens, first: w.docStart, last: w.docStop - 1, joins, faded };
  view.broken = text.breakLines(view.rows, view.text, view.rows.clientWidth);
  Object.assign(view, { key, shown: "", unfolded: new Set(), built: new Map() });
}

function notable({ page, window: w, p }, line) {
  const enough = Math.max(0.01, 3 / w.n);
  const [a, b] = [line.units[0].first, line.units.at(-1).last];
  const meets = (span) => span && span.start <= b && span.end >= a;
  if (page.predicted?.window === w.index && meets(page.predicted)) return true;
  if (page.reading.gold.some((g) => g.start < line.to && g.end > line.from)) return true;
  const here = (row) => row.subarray(w.pos(a), w.pos(b) + 1);
  return [p.start, p.end].some((row) => here(row).some((x) => x > enough));
}

// Build the rows when another set of lines is open; returns whether it did. Lines already built are
// used again, and a line that a selection opened stays open. Focus stays on the same token.
function place(view) {
  const { model, broken, built } = view;
  const { page, window: w } = model;
  const chosen = page.selection?.window === w.index ? page.selection : null;
  broken.forEach((line, k) => {
    if (chosen && chosen.start <= line.units.at(-1).last && chosen.end >= line.units[0].first) {
      view.unfolded.add(k);
    }
  });
  const open = broken.map((line, k) =>
    broken.length <= SHORT || view.unfolded.has(k) || notable(model, line)
  );
  const shown = `${open.map(Number).join("")} ${model.window.index}`;
  if (shown === view.shown) return false;
  const held = text.item(focusIn(view.root));
  view.shown = shown;
  view.outside = outsideLine(model);
  view.lines = [];
  view.folds = [];
  const line = (k) => {
    if (!built.has(k)) built.set(k, text.makeLine(broken[k], view.text, broken.dir));
    view.lines.push(built.get(k));
    return built.get(k).node;
  };
  const nodes = text.folding(open, line, (from, to) => foldedRow(view, from, to));
  view.rows.replaceChildren(view.outside.node, ...nodes);
  text.settle(view.lines, view.text.tokens);
  if (held) text.itemAt(view.root, held.row, held.first)?.focus({ preventScroll: true });
  return true;
}

function foldedRow(view, from, to) {
  const first = view.broken[from].units[0].first;
  const last = view.broken[to].units.at(-1).last;
  const node = el("button.folded", {
    onclick: () => {
      for (let k = from; k <= to; k += 1) view.unfolded.add(k);
      place(view);
      restem(view, false);
      marks(view);
      view.lines.find((line) => line.first === first)?.words.querySelector(".word")?.focus();
    },
  });
  view.folds.push({ node, first, last });
  return node;
}

/** Separators before and after the paragraph, whose place the dots keep: [SEP] … [SEP]. */
function separators(w, rest) {
  const names = (side) => rest.filter(side).map((pos) => w.tokens[pos]).join(" ");
  return [names((pos) => pos < w.contextAt), names((pos) => pos >= w.contextAt)].filter(Boolean)
    .join(" … ");
}

// [CLS], question and separators are in the normaliser, so their mass stays in view.
function outsideLine({ page, window: w, question: [from, to] }) {
  const rest = w.tokens.map((_, pos) => pos).filter((pos) =>
    pos !== w.clsAt && !(pos >= from && pos < to) && !w.inside(pos)
  );
  const asked = [...Array(to - from).keys()].map((k) => k + from);
  const group = (kind, name, at) => ({ at, span: el(`span.outside-text${kind}[dir=auto]`, name) });
  const groups = [
    group("", w.tokens[w.clsAt], [w.clsAt]),
    group(".outside-question", page.reading.question, asked),
    group("", separators(w, rest), rest),
  ].filter(({ at }) => at.length);
  const above = svg("svg.lane.above");
  const below = svg("svg.lane.below");
  return {
    above,
    below,
    groups,
    node: el("div.line.outside", above, el("div.words-box", groups.map((g) => g.span)), below),
  };
}

function restem({ model, lines, outside, folds }, all = true) {
  const { scale, p, window: w, apart, byHand } = model;
  const edge = outside.node.getBoundingClientRect();
  const placed = outside.groups.map((g) => ({ g, box: g.span.getBoundingClientRect() }));
  for (const line of lines.filter((one) => all || !one.filled)) {
    line.filled = true;
    for (const side of ["start", "end"]) {
      const cells = [...line.places.keys()].map((doc) => ({
        doc,
        x: text.centre(line, doc),
        left: line.places.get(doc).left,
        width: line.places.get(doc).width,
        p: p[side][w.pos(doc)],
        apart: apart[side] === doc,
        byHand: byHand(side, w.pos(doc)),
        name: w.tokens[w.pos(doc)],
      }));
      fillLane(side === "start" ? line.above : line.below, side, cells, scale, line.width);
    }
  }
  for (const side of ["start", "end"]) {
    const cells = placed.map(({ g, box }) => ({
      doc: null,
      x: box.left - edge.left + box.width / 2,
      p: g.at.reduce((sum, pos) => sum + p[side][pos], 0),
      sum: g.at[0] !== w.clsAt,
    }));
    fillLane(
      side === "start" ? outside.above : outside.below,
      side,
      cells,
      scale,
      edge.width,
      side === "start" ? `1/n = ${significant(1 / w.n)}` : "",
    );
  }
  for (const { node, first, last } of folds) {
    const says = (side) =>
      el(`span.role-${side}`, `${side} ${small(mass(p[side], w.pos(first), w.pos(last)))}`);
    put(node, `… ${last - first + 1} tokens, together `, says("start"), ", ", says("end"));
  }
}

const small = (p) => (p < 0.001 ? "< 0.001" : fixed(p, 3));

function marks({ model, lines, root }) {
  const { page, window: w, pending } = model;
  const here = (span) => (span?.window === w.index ? span : null);
  const spans = { predicted: here(page.predicted), chosen: here(page.selection), pending };
  text.markText(root, lines, page.reading, spans);
}
