// The paragraph as typed, word by word, with marks laid over it: marks may overlap, and moving one
// costs no new text.

import { el, svg } from "./dom.js";
import { selectable } from "./keys.js";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * Widen [start, end) to grapheme borders, so that no accent or joined emoji is cut by a highlight.
 * @param {string} context
 * @param {number} start
 * @param {number} end UTF-16 offsets
 * @returns {[number, number]}
 */
export function graphemes(context, start, end) {
  if (start >= end) return [start, end];
  const segments = segmenter.segment(context);
  const first = segments.containing(start);
  const last = segments.containing(end - 1);
  if (!first || !last) throw new RangeError(`[${start}, ${end}) is not inside the text`);
  return [first.index, last.index + last.segment.length];
}

/**
 * A text in at most `most` characters, the last one an ellipsis where some are left out; one that
 * has lost its middle already ends there.
 * @param {string} text
 * @param {number} most
 */
export function clipped(text, most) {
  const letters = Array.from(text);
  return letters.length > most
    ? `${letters.slice(0, Math.max(1, most - 1)).join("").replace(/\s+(….*)?$/su, "")}…`
    : text;
}

const RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const LTR = /[A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff\u3040-\u9fff\uac00-\ud7af]/;

/**
 * The direction of the first strong letter of a text; null where it has none.
 * @param {string} text
 */
export function direction(text) {
  for (const sign of text) {
    if (RTL.test(sign)) return "rtl";
    if (LTR.test(sign)) return "ltr";
  }
  return null;
}

/**
 * Whether the first strong letter of a text is written from right to left.
 * @param {string} text
 */
export const rightToLeft = (text) => direction(text) === "rtl";

/**
 * Words between blanks as [{first, last, start, end}]: first and last token (doc), UTF-16 range of
 * the whole word.
 */
export function words(reading) {
  const out = [];
  reading.tokens.forEach((token, d) => {
    const open = out.at(-1);
    if (open && open.word === token.word) {
      Object.assign(open, { last: d, end: Math.max(open.end, token.end) });
    } else out.push({ word: token.word, first: d, last: d, start: token.start, end: token.end });
  });
  return out;
}

/**
 * The paragraph of a reading whose words can be chosen, as in every text (keys.js).
 * @param {any} page
 * @param {string} label
 * @param {() => boolean} [marks] whether one marks its words just now
 */
export function paragraph(
  page,
  label,
  marks = () => document.body.classList.contains("marking"),
) {
  const { context } = page.reading;
  const map = [];
  const box = el("p.reading-text[dir=auto][role=group]", { "aria-label": label });
  const put = (parent, from, to) => {
    if (to <= from) return;
    const node = document.createTextNode(context.slice(from, to));
    parent.append(node);
    map.push({ node, from, to });
  };
  let at = 0;
  const list = words(page.reading).map(({ first, last, start, end }, k) => {
    put(box, at, start);
    const span = el("span.word[role=button]", { tabindex: k ? -1 : 0, dataset: { first, last } });
    put(span, Math.max(at, start), end);
    box.append(span);
    at = Math.max(at, end);
    return { first, last, start, end, span };
  });
  put(box, at, context.length);
  selectable(box, {
    rows: ["word"],
    now: () => ({
      chosen: page.selection,
      dir: getComputedStyle(box).direction,
      marks: marks(),
    }),
    commit: (span) => page.select(span),
    pend: (span) =>
      list.forEach(({ span: node, first, last }) =>
        node.classList.toggle("pending", Boolean(span && last >= span.start && first <= span.end))
      ),
  });
  return { box, map, list };
}

/** The rectangles of [start, end) of the context, one per line, relative to `origin`. */
export function boxes(map, origin, start, end) {
  const range = document.createRange();
  const first = map.find((m) => m.to > start);
  const last = map.findLast((m) => m.from < end);
  if (!first || !last) return [];
  range.setStart(first.node, Math.max(0, start - first.from));
  range.setEnd(last.node, Math.min(last.to, end) - last.from);
  const base = origin.getBoundingClientRect();
  const lines = [];
  for (const r of range.getClientRects()) {
    if (!r.width) continue;
    const line = lines.find((l) => Math.abs(l.top - (r.top - base.top)) < r.height / 2);
    const [left, right] = [r.left - base.left, r.right - base.left];
    if (line) {
      Object.assign(line, { left: Math.min(line.left, left), right: Math.max(line.right, right) });
    } else lines.push({ left, right, top: r.top - base.top, bottom: r.bottom - base.top });
  }
  return lines;
}

/**
 * Lay marks over a paragraph: [{start, end, kind}] with kind predicted, selected, gold or contrast;
 * UTF-16 offsets.
 */
function overlay(text, context, marks) {
  const { box, map } = text;
  box.querySelector(".marks")?.remove();
  const layer = svg("svg.marks[aria-hidden=true]");
  for (const { start, end, kind } of marks) {
    const lines = boxes(map, box, ...graphemes(context, start, end));
    lines.forEach((line, k) => layer.append(shape(line, kind, k === 0, k === lines.length - 1)));
  }
  box.append(layer);
}

/**
 * The marks of a reading: its right answers, what is predicted and what is selected.
 * @param {any} text what `paragraph` made
 * @param {any} page
 * @param {{start: number, end: number}[]} golds in UTF-16 offsets
 */
export function overlayReading(text, page, golds) {
  const { reading: { context, tokens }, selection, predicted, answer } = page;
  const mark = (kind, span) =>
    span ? [{ start: tokens[span.start].start, end: tokens[span.end].end, kind }] : [];
  overlay(text, context, [
    ...golds.map((gold) => ({ ...gold, kind: "gold" })),
    ...mark("predicted", answer === null ? null : predicted),
    ...mark("selected", selection),
  ]);
}

function shape({ left, right, top, bottom }, kind, first, last) {
  if (kind === "gold") {
    return svg("path.mark-gold", `M${left},${bottom - 1}H${right}M${left},${bottom + 2}H${right}`);
  }
  if (kind === "predicted") {
    const y = bottom + 7;
    return svg(
      "path.mark-predicted",
      `M${left},${first ? y - 5 : y}V${y}H${right}V${last ? y - 5 : y}`,
    );
  }
  return svg(`rect.mark-${kind}`, [left - 2, top - 1, right - left + 4, bottom - top + 2, 3]);
}
