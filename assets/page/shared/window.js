// A window of a reading: positions count from its first token, [CLS] included; "doc" counts the
// tokens of the paragraph.

/**
 * A window as Python sends it, with the ways between its positions and the paragraph's tokens.
 * @template {{docStart: number, docStop: number, contextAt: number}} W
 * @param {W} w
 */
export const opened = (w) => {
  const shift = w.contextAt - w.docStart;
  const stop = w.docStop + shift;
  const pos = (/** @type {number} */ doc) => doc + shift;
  return {
    ...w,
    /** Where the paragraph's part ends: a position. */
    stop,
    pos,
    /** The token of the paragraph at a position. @param {number} p */
    doc: (p) => p - shift,
    /** Whether a position lies in the paragraph. @param {number} p */
    inside: (p) => p >= w.contextAt && p < stop,
    /** Whether the window holds a token of the paragraph. @param {number} doc */
    holds: (doc) => doc >= w.docStart && doc < w.docStop,
    /**
     * The token of the paragraph with the largest number; ties keep the first.
     * @param {ArrayLike<number>} row a number for each position
     */
    highest: (row) => {
      let best = w.docStart;
      for (let d = best; d < w.docStop; d += 1) if (row[pos(d)] > row[pos(best)]) best = d;
      return best;
    },
  };
};

/**
 * The pieces of the word that holds one, between `from` and `stop`.
 * @param {{word: number}[]} tokens
 * @param {number} doc
 * @param {number} [from]
 * @param {number} [stop]
 */
export function wordAt(tokens, doc, from = 0, stop = tokens.length) {
  let [start, end] = [doc, doc];
  while (start > from && tokens[start - 1].word === tokens[doc].word) start -= 1;
  while (end + 1 < stop && tokens[end + 1].word === tokens[doc].word) end += 1;
  return { start, end };
}

/**
 * The gold answers as tokens of the paragraph, for those that hold some.
 * @param {{gold: {start: number, end: number}[], tokens: {start: number, end: number}[]}} reading
 */
export const goldSpans = ({ gold, tokens }) =>
  gold.map(({ start, end }) => ({
    start: tokens.findIndex((t) => t.end > start),
    end: tokens.findLastIndex((t) => t.start < end),
  })).filter((s) => s.start >= 0 && s.end >= s.start);
