// Text as typed, cut into the lines it falls into, with a lane above and a lane below the words of
// each line. Any chapter can hang marks on the lanes: probabilities, attributions, losses.
//
//   const text = {context, tokens, first, last, joins, faded};  // joins(d): d continues a word
//   const lines = breakLines(host, text, width);
//   const line = makeLine(lines[k], text);  // {node, above, below, marks, words}
//   put line.node into the page, then
//   settle([line], tokens);  // line.width, line.places ...; now centre(line, doc), boxes(line, from, to)

import { el, sized, svg } from "./dom.js";

/**
 * @typedef {{from: number, to: number, first: number, last: number, lead: number}} Unit
 * @typedef {{units: Unit[], from: number, to: number}[] & {dir: string}} Lines
 */

/**
 * Pieces of text that can be drawn apart: one token each, or several where offsets meet inside one
 * visible character. A token that holds only the blank before a word (RoBERTa, ALBERT) stands with
 * the first piece of that word; `lead` counts such tokens of a unit.
 */
export function units({ context, tokens, first, last }) {
  const from = tokens[first].start;
  const text = context.slice(from, tokens[last].end);
  const borders = new Set(
    [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)].map((s) =>
      from + s.index
    ),
  );
  borders.add(from + text.length);
  const found = [];
  for (let d = first; d <= last; d += 1) {
    let { start, end } = tokens[d];
    while (start > from && !borders.has(start)) start -= 1;
    while (end < from + text.length && !borders.has(end)) end += 1;
    const before = found.at(-1);
    const blank = start === end;
    if (before && before.from === before.to) {
      Object.assign(before, { from: start, to: end, last: d, lead: before.lead + Number(blank) });
    } else if (before && (start < before.to || (blank && (d === last || start === before.to)))) {
      before.to = Math.max(before.to, end);
      before.last = d;
    } else found.push({ from: start, to: end, first: d, last: d, lead: Number(blank) });
  }
  return found;
}

/**
 * Lay the text out at `width` and say which units share a line: [{units, from, to}]; `dir` of the
 * whole text on the array.
 * @param {Element} host
 * @param {any} text
 * @param {number} width
 * @returns {Lines}
 */
export function breakLines(host, text, width) {
  const all = units(text);
  const from = all[0].from;
  const node = document.createTextNode(text.context.slice(from, all[all.length - 1].to));
  const sheet = el("div.lined.measuring[dir=auto]", { style: { width: `${width}px` } });
  sheet.append(node);
  host.append(sheet);
  const range = document.createRange();
  /** @type {Lines} */
  const lines = Object.assign([], { dir: "ltr" });
  let bottom = -Infinity;
  for (const unit of all) {
    range.setStart(node, unit.from - from);
    range.setEnd(node, unit.to - from);
    const box = range.getClientRects()[0];
    const open = lines.at(-1);
    if (!open || (box && (box.top + box.bottom) / 2 > bottom)) {
      lines.push({ units: [unit], from: unit.from, to: unit.to });
      bottom = box ? box.bottom : bottom;
    } else {
      open.units.push(unit);
      open.to = unit.to;
    }
  }
  lines.dir = getComputedStyle(sheet).direction;
  sheet.remove();
  lines.forEach((line, k) => withGap(line, lines[k + 1], text.context));
  return lines;
}

// What stands between two lines is blank, or characters without a token: keep those, and the indent
// of a new paragraph.
function withGap(line, next, context) {
  if (!next) return;
  const gap = context.slice(line.to, next.from);
  line.to += gap.trimEnd().length;
  const indent = gap.lastIndexOf("\n");
  if (indent >= 0 && !gap.slice(indent).trim()) next.from -= gap.length - indent - 1;
}

/**
 * Build one line: words as buttons in the middle, one svg above, one below, one for marks around
 * the words.
 */
export function makeLine(line, { context, joins, faded = (_) => false }, dir) {
  const words = el("div.lined.words", { dir });
  const spans = new Map();
  let at = line.from;
  let word = null;
  for (const unit of line.units) {
    if (unit.from > at) words.append(document.createTextNode(context.slice(at, unit.from)));
    const span = el(
      "span",
      { class: faded(unit.first) ? "unit faded" : "unit" },
      context.slice(unit.from, unit.to),
    );
    for (let d = unit.first; d <= unit.last; d += 1) spans.set(d, { span, unit });
    if (!word || !joins(unit.first)) {
      word = el("span.word[role=button][tabindex=-1]", {
        dataset: { first: unit.first, last: unit.last },
      });
      words.append(word);
    } else if (unit.from > at) word.append(words.lastChild);
    word.append(span);
    word.dataset.last = unit.last;
    at = unit.to;
  }
  words.append(document.createTextNode(context.slice(at, line.to)));
  return {
    ...line,
    ...laned(words),
    spans,
    first: line.units[0].first,
    last: line.units.at(-1).last,
  };
}

/** The words of a line with an svg above, one below and one for marks around them. */
export function laned(words) {
  const above = svg("svg.lane.above[role=presentation]");
  const below = svg("svg.lane.below[role=presentation]");
  const marks = svg("svg.word-marks[aria-hidden=true]");
  const node = el("div.line", above, el("div.words-box", words, marks), below);
  return { node, above, below, marks, words };
}

/**
 * A node for each open line; neighbours that are not open share one, which stands for lines `from`
 * to `to`.
 * @param {boolean[]} open
 * @param {(k: number) => Node} line
 * @param {(from: number, to: number) => Node} fold
 */
export function folding(open, line, fold) {
  const nodes = [];
  for (let k = 0; k < open.length; k += 1) {
    const from = k;
    while (!open[k] && k + 1 < open.length && !open[k + 1]) k += 1;
    nodes.push(open[k] ? line(k) : fold(from, k));
  }
  return nodes;
}

/**
 * Measure lines that now stand in the page, all reads before the first write: one layout.
 * @param {any[]} lines
 * @param {any[] | null} tokens whose borders get a tick where no blank parts them
 */
export function settle(lines, tokens = null) {
  const fresh = lines.filter((line) => !line.places);
  fresh.forEach(measure);
  for (const line of fresh) {
    const ticked = tokens ?? line.source?.tokens;
    line.ticks = ticked ? pieceTicks(line, ticked) : [];
    sized(line.marks, line.width, line.height);
  }
}

/** Read where the units of a placed line stand, relative to its left edge. */
function measure(line) {
  const origin = line.node.getBoundingClientRect();
  line.width = origin.width;
  line.left = origin.left;
  line.top = line.words.getBoundingClientRect().top;
  line.height = line.words.offsetHeight;
  line.places = new Map();
  for (const [doc, { span, unit }] of line.spans) {
    const box = span.getBoundingClientRect();
    const count = unit.last - unit.first + 1;
    line.places.set(doc, {
      left: box.left - origin.left + (box.width * (doc - unit.first)) / count,
      width: box.width / count,
      top: box.top - line.top,
      bottom: box.bottom - line.top,
    });
  }
}

export const centre = (line, doc) => {
  const { left, width } = line.places.get(doc);
  return left + width / 2;
};

/**
 * The rectangles that tokens `from` to `to` fill on a line, neighbours joined: one in plain text,
 * more where directions mix.
 */
export function boxes(line, from, to) {
  const a = Math.max(from, line.first);
  let b = Math.min(to, line.last);
  // the blank before a word does not hold the word
  while (b > a && b < line.spans.get(b).unit.first + line.spans.get(b).unit.lead) b -= 1;
  if (a > b) return [];
  const range = document.createRange();
  range.setStartBefore(line.spans.get(a).span);
  range.setEndAfter(line.spans.get(b).span);
  const edge = line.node.getBoundingClientRect().left;
  const top = Math.min(...[...line.places.values()].map((p) => p.top));
  const bottom = Math.max(...[...line.places.values()].map((p) => p.bottom));
  const found = [...range.getClientRects()].filter((r) => r.width > 0).sort((p, q) =>
    p.left - q.left
  );
  const joined = [];
  for (const r of found) {
    const before = joined.at(-1);
    if (before && r.left - edge <= before.right + 1) {
      before.right = Math.max(before.right, r.right - edge);
    } else joined.push({ left: r.left - edge, right: r.right - edge, top, bottom });
  }
  return joined;
}

/** Short ticks under the baseline where two tokens meet without a blank. */
function pieceTicks(line, tokens) {
  const ticks = [];
  for (let d = line.first + 1; d <= line.last; d += 1) {
    const [one, two] = [line.spans.get(d - 1), line.spans.get(d)];
    if (one.unit === two.unit || tokens[d - 1].end !== tokens[d].start) continue;
    const [p, q] = [line.places.get(d - 1), line.places.get(d)];
    const x = Math.abs(p.left + p.width - q.left) < Math.abs(q.left + q.width - p.left)
      ? q.left
      : p.left;
    ticks.push(svg("line.piece-tick", [x, p.bottom - 1, x, p.bottom + 4]));
  }
  return ticks;
}

/**
 * The mark grammar on one line: predicted bracket below, selected outline around, gold double
 * underline, contrast dashed.
 */
export function markSpan(line, kind, from, to) {
  return boxes(line, from, to).map(({ left, right, top, bottom }) => {
    if (kind === "predicted") {
      return svg("path.mark-predicted", `M${left + 1},${bottom + 5}v5H${right - 1}v-5`);
    }
    if (kind === "gold") {
      return svg(
        "path.mark-gold",
        `M${left},${bottom + 1}H${right}M${left},${bottom + 4}H${right}`,
      );
    }
    return svg(`rect.mark-${kind}`, [left - 3, top - 1, right - left + 6, bottom - top + 2, 3]);
  });
}

/**
 * Lay the marks of a reading over its lines, and press the words and bars that are selected.
 * @param {Element} root
 * @param {any[]} lines
 * @param {import("./store.js").Reading} reading
 * @param {{predicted: any, chosen: any, pending: any}} spans start and end of each, or null
 */
export function markText(root, lines, { tokens, gold }, { predicted, chosen, pending }) {
  const drawn = lines.map((line) => {
    const inside = (g) =>
      [...line.spans.keys()].filter((d) => tokens[d].start < g.end && tokens[d].end > g.start);
    const golds = gold.map(inside).filter((held) => held.length);
    return [
      ...line.ticks,
      ...golds.flatMap((held) => markSpan(line, "gold", held[0], held.at(-1))),
      ...Object.entries({ predicted, selected: chosen, pending }).flatMap(([kind, span]) =>
        span ? markSpan(line, kind, span.start, span.end) : []
      ),
    ];
  });
  lines.forEach((line, k) => line.marks.replaceChildren(...drawn[k]));
  root.querySelectorAll(".word, .hit").forEach((/** @type {any} */ node) => {
    const { first, last, doc = null } = node.dataset;
    const on = chosen &&
      (doc === null
        ? Number(first) <= chosen.end && Number(last) >= chosen.start
        : Number(doc) === (node.classList.contains("end") ? chosen.end : chosen.start));
    if (on) node.setAttribute("aria-pressed", "true");
    else node.removeAttribute("aria-pressed");
  });
}

/** The token of a node of a text, and the row that it stands in: a word, or the lane of a bar. */
export function item(node) {
  const found = node?.closest?.(".hit, .word");
  if (!found) return null;
  const { first, last, doc = null } = found.dataset;
  return {
    node: found,
    row: doc === null ? "word" : [...found.classList].at(-1),
    first: Number(doc ?? first),
    last: Number(doc ?? last),
  };
}

/** The node of a token in a row. */
export function itemAt(root, row, doc) {
  if (row !== "word") return root.querySelector(`.${row}[data-doc="${doc}"]`);
  return [...root.querySelectorAll(".word")].find((/** @type {any} */ n) =>
    Number(n.dataset.first) <= doc && Number(n.dataset.last) >= doc
  ) ?? null;
}

/** Let Tab reach a row at a token, or at its first, until a key or a click has moved the stop. */
export function tabStop(root, row, doc) {
  if (root.querySelector("[tabindex='0']")) return;
  (itemAt(root, row, doc) ?? root.querySelector(`.${row}`))?.setAttribute("tabindex", "0");
}
