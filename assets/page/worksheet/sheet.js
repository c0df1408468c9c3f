// What a worksheet of a reading holds: words with empty boxes for start and end, four word pieces
// whose pairs are to be added up, and the solution. Plain data from the reading, no page.

import { fixed, rounded } from "../shared/numbers.js";
import { mass, softmax } from "../shared/pack.js";
import { words } from "../shared/prose.js";

export const MOST_WORDS = 60;
const MOST_PIECES = 4;
const NEAR = 14;
/** Percent below which a box of the solution stays empty. */
const LEAST = 0.5;

/**
 * The words of a window in text order: text, first and last token.
 * @param {any} reading
 * @param {any} window
 */
const wordsOf = ({ context, tokens }, { docStart, docStop }) =>
  words({ tokens: tokens.slice(docStart, docStop) }).map(({ first, last, start, end }) => ({
    text: context.slice(start, end).trim(),
    from: docStart + first,
    to: docStart + last,
  }));

/**
 * The run of at most `MOST_WORDS` words around the best span.
 * @param {{from: number, to: number}[]} words
 * @param {{start: number, end: number}} best
 */
function excerpt(words, best) {
  if (words.length <= MOST_WORDS) return [0, words.length];
  const first = words.findIndex((word) => word.to >= best.start);
  const from = Math.min(Math.max(0, first - MOST_WORDS / 2), words.length - MOST_WORDS);
  return [from, from + MOST_WORDS];
}

/**
 * Four word pieces near the best span, its own ends among them, in text order (positions in the
 * window).
 */
function pieces({ start, end, contextAt, stop, pos }, best) {
  const own = [best.start, best.end].map(pos);
  const free = [];
  for (let p = contextAt; p < stop; p += 1) {
    if (!own.includes(p) && Math.abs(p - own[0]) <= NEAR && Math.abs(p - own[1]) <= NEAR) {
      free.push(p);
    }
  }
  free.sort((a, b) => Math.max(start[b], end[b]) - Math.max(start[a], end[a]) || a - b);
  const chosen = new Set(own);
  for (const p of free) if (chosen.size < MOST_PIECES) chosen.add(p);
  return [...chosen].sort((a, b) => a - b);
}

/**
 * The table at so many decimals: logits as printed, their sums, and where the largest legal sum
 * stands; `sure` where no other reaches it.
 */
function table(starts, ends, none, digits) {
  const [s, e] = [starts, ends].map((row) => row.map((x) => rounded(x, digits)));
  const cells = s.map((a, r) => e.map((b, c) => (r <= c ? a + b : null)));
  const legal = cells.flatMap((row, r) =>
    row.flatMap((sum, c) => (sum === null ? [] : [{ sum, r, c }]))
  ).sort((a, b) => b.sum - a.sum);
  const print = (x) => fixed(x, digits);
  const nothing = none.map((x) => rounded(x, digits));
  return {
    starts: s.map(print),
    ends: e.map(print),
    cells: cells.map((row) => row.map((sum) => (sum === null ? null : print(sum)))),
    best: [legal[0].r, legal[0].c],
    score: print(legal[0].sum),
    sure: legal.length < 2 || legal[0].sum - legal[1].sum > 10 ** -digits / 2,
    none: nothing.map(print),
    null: print(nothing[0] + nothing[1]),
    diff: print(nothing[0] + nothing[1] - legal[0].sum),
  };
}

/**
 * @param {any} reading
 * @param {{window: number, start: number, end: number}} best the reader's best span
 */
export function sheet(reading, best) {
  const window = reading.windows[best.window];
  const all = wordsOf(reading, window);
  const [from, to] = excerpt(all, best);
  const [ps, pe] = [softmax(window.start), softmax(window.end)];
  const share = (p, word) => {
    const sum = mass(p, window.pos(word.from), window.pos(word.to));
    return 100 * sum < LEAST ? "" : fixed(100 * sum, 0);
  };
  const at = pieces(window, best);
  const [starts, ends] = [window.start, window.end].map((row) => at.map((p) => row[p]));
  const none = [window.start[window.clsAt], window.end[window.clsAt]];
  const rough = table(starts, ends, none, 1);
  const own = [best.start, best.end].map((d) => at.indexOf(window.pos(d)));
  const fits = rough.sure && rough.best.every((k, n) => k === own[n]);
  return {
    question: reading.question,
    context: reading.context,
    reader: reading.reader,
    words: all.slice(from, to).map((word) => ({
      text: word.text,
      start: share(ps, word),
      end: share(pe, word),
    })),
    part: all.length > to - from || reading.windows.length > 1,
    names: at.map((p) => window.tokens[p]),
    pairs: fits ? rough : table(starts, ends, none, 2),
  };
}
