// Where one or two readings of one text begin and end: bars above the words for the first, mirrored
// below them for the second, and the same numbers as a table.

import { el, grid, row } from "./dom.js";
import { probability } from "./numbers.js";

/** Words this far from any mark are left out of a long text. */
const AROUND = 30;
/** From this probability on a word stands in the table. */
const LISTED = 0.05;

/**
 * @typedef {[number, number]} Likely where a word begins, and its probability
 * @typedef {{name: string, n: number[][], start: Likely[], end: Likely[], null: number[] | null,
 *   score_diff: number | null, limit: number | null, windows: number | null,
 *   answer: string | null, rests: [string, number][]}} Shown n: start, end, score and window of the
 *   best spans; characters are counted as Python counts them
 * @typedef {{text: string, start: number, end: number}} Word
 */

/**
 * The words between blanks, with their places in characters as Python counts them.
 * @param {string} text
 * @returns {Word[]}
 */
export function wordsOf(text) {
  const found = [];
  let at = 0;
  for (const part of text.split(/(\s+)/u)) {
    const end = at + [...part].length;
    if (part.trim()) found.push({ text: part, start: at, end });
    at = end;
  }
  return found;
}

/**
 * How likely the start (or end) lies in each word.
 * @param {Word[]} words
 * @param {Likely[]} likely
 */
export function perWord(words, likely) {
  const sums = words.map(() => 0);
  // Python's blanks are not all JavaScript's, so two words of it may be one here
  for (const [from, p] of likely) {
    const at = words.findIndex(({ end }) => from < end);
    if (at >= 0) sums[at] += p;
  }
  return sums;
}

const touches = (word, range) => word.start < range[1] && word.end > range[0];

/**
 * Numbers of the words to show, null for a gap; all of them in a short text.
 * @param {boolean[]} marked
 */
export function inSight(marked) {
  const near = (k) => marked.slice(Math.max(0, k - AROUND), k + AROUND + 1).some(Boolean);
  /** @type {(number | null)[]} */
  const shown = [];
  const none = !marked.some(Boolean);
  marked.forEach((_, k) => {
    if (none ? k < 2 * AROUND : near(k)) shown.push(k);
    else if (shown.at(-1) !== null) shown.push(null);
  });
  return shown;
}

/** The bars of one reading at one word: how likely it starts and ends there. */
const bars = (side, lanes, k) =>
  el(
    `span.mirrored-bars.${side}[aria-hidden=true]`,
    lanes.map((p, role) =>
      el("span", {
        class: `mirrored-bar ${role ? "end" : "start"}`,
        style: { blockSize: `${100 * p[k]}%` },
      })
    ),
  );

/**
 * @param {string} text
 * @param {number[][]} gold half-open ranges of right answers
 * @param {Shown[]} readings one or two
 */
export function mirrored(text, gold, readings) {
  const words = wordsOf(text);
  const of = readings.map(({ start, end }) => [perWord(words, start), perWord(words, end)]);
  const best = readings.map(({ n }) => n[0] ?? null);
  const right = words.map((word) => gold.some((range) => touches(word, range)));
  const likely = words.map((_, k) => of.some(([start, end]) => start[k] > 0 || end[k] > 0));
  const marked = words.map((word, k) =>
    right[k] || best.some((range) => range && touches(word, range)) ||
    of.some(([start, end]) => start[k] > LISTED || end[k] > LISTED)
  );
  const chosen = (word) =>
    best.map((range, r) => range && touches(word, range) ? ` best${r}` : "").join("");
  const drawn = inSight(marked).flatMap((k) =>
    k === null ? [" … "] : [
      el(
        "span",
        { class: `mirrored-word${right[k] ? " gold" : ""}${chosen(words[k])}` },
        likely[k] && bars("above", of[0], k),
        el("span.mirrored-text", words[k].text),
        likely[k] && of[1] && bars("below", of[1], k),
      ),
      " ",
    ]
  );
  const names = readings.map(({ name }) => name);
  return [
    el(
      "figure.mirrored",
      el("figcaption", legend(names)),
      el("p[dir=auto]", { class: `mirrored-line of${names.length}` }, drawn),
    ),
    listed(words, of, names),
  ];
}

/** What the bars and lines mean. */
function legend(names) {
  const key = (role) => [el(`span.mirrored-key.${role}`), ` ${role}`];
  const where = names.length > 1
    ? `Above the words ${names[0]}, below them ${names[1]}: `
    : "Above the words: ";
  return [
    where,
    "how likely the answer has its ",
    key("start"),
    " and its ",
    key("end"),
    " there, over all positions of the chosen window. A line marks the best span, a dotted frame the right answer.",
  ];
}

/** The same as a table: words with at least one chance from LISTED on; a sentence where none has. */
export function listed(words, of, names) {
  const said = (p) => probability(p, 2);
  const rows = words.flatMap(({ text }, k) => {
    const values = of.flatMap(([start, end]) => [start[k], end[k]]);
    if (!values.some((p) => p >= LISTED)) return [];
    const cells = values.map((p) => el("td.number", said(p)));
    return [row(el("th[scope=row][dir=auto]", text), cells)];
  });
  if (!rows.length) {
    return el(
      "p.hint",
      `No word of the text has a chance of ${said(LISTED)} or more to start or end the answer.`,
    );
  }
  const head = names.length > 1
    ? names.flatMap((name) => [`start, ${name}`, `end, ${name}`])
    : ["start", "end"];
  return grid("table.mirrored-table", {
    label: "Likely starts and ends",
    caption: `Words with a chance of ${said(LISTED)} or more`,
    head: ["word", ...head],
    rows,
  });
}
