// The score matrix of one window without the matrix: two rows of logits and the mask's parameters
// (qa_demo/core/reading/spans.py).

import { owning, partner } from "../shared/pairs.js";

export const LEGAL = 0;
export const OUTSIDE = 1;
export const BACKWARD = 2;
export const TOO_LONG = 3;
export const NOT_OWNED = 4;

export class Cells {
  /** @type {{low: number, high: number} | null} */
  ink = null;

  /**
   * @param {import("../shared/store.js").Reading} reading
   * @param {{longest: number, copies: string}} picture
   * @param {number} index which window
   */
  constructor(reading, picture, index) {
    const w = reading.windows[index];
    this.index = index;
    this.n = w.n;
    this.s = w.start;
    this.e = w.end;
    this.tokens = w.tokens;
    this.reading = reading;
    this.clsAt = w.clsAt;
    this.first = w.contextAt;
    this.stop = w.stop;
    this.inside = w.inside;
    this.doc = w.doc;
    this.pos = w.pos;
    this.longest = picture.longest;
    const owns = owning(reading, w, picture.copies);
    this.owned = Uint8Array.from({ length: w.n }, (_, i) => Number(this.inside(i) && owns(i)));
    this.rule = { longest: this.longest, owns };
  }

  /**
   * The word piece at a position; a sign of punctuation, which says little, with the word before the
   * end that it is, or after the start: "1840)".
   * @param {number} i
   * @param {"start" | "end"} side
   */
  name(i, side) {
    const other = side === "end" ? i - 1 : i + 1;
    if (/[\p{L}\p{N}]/u.test(this.tokens[i]) || !this.inside(i) || !this.inside(other)) {
      return this.tokens[i];
    }
    const { context, tokens } = this.reading;
    const step = other - i;
    let far = this.doc(other);
    while (tokens[far + step]?.word === tokens[far].word) far += step;
    const [a, b] = [Math.min(this.doc(i), far), Math.max(this.doc(i), far)];
    return context.slice(tokens[a].start, tokens[b].end);
  }

  score(i, j) {
    return this.s[i] + this.e[j];
  }

  /** The code of core.reading.spans.REASONS: the first reason that holds is the one named. */
  code(i, j) {
    if (!this.inside(i) || !this.inside(j)) return OUTSIDE;
    if (j < i) return BACKWARD;
    if (j - i + 1 > this.longest) return TOO_LONG;
    return this.owned[i] ? LEGAL : NOT_OWNED;
  }

  /** Whether a click can select the cell: a span that runs forward in the context, legal or not. */
  isSpan(i, j) {
    return this.inside(i) && this.inside(j) && j >= i;
  }

  lastEnd(i) {
    return Math.min(this.stop, i + this.longest) - 1;
  }

  /** The best legal end of a start, or -1; ties keep the lower end. */
  bestEnd(i) {
    if (!this.inside(i) || !this.owned[i]) return -1;
    return partner(this.reading.windows[this.index], "start", i, this.e, this.rule);
  }

  /** {low, high}: the median and the best legal score, between which ink grows. */
  range() {
    if (this.ink) return this.ink;
    const scores = [];
    for (let i = this.first; i < this.stop; i += 1) {
      if (this.owned[i]) {
        for (let j = i; j <= this.lastEnd(i); j += 1) scores.push(this.score(i, j));
      }
    }
    scores.sort((a, b) => a - b);
    const high = scores.at(-1) ?? 0;
    const low = scores[Math.floor(scores.length / 2)] ?? 0;
    this.ink = { low: low < high ? low : high - 1, high };
    return this.ink;
  }

  /** How solid the ink of a score is, 0 to 1. */
  weight(score) {
    const { low, high } = this.range();
    return Math.min(1, Math.max(0, (score - low) / (high - low))) ** 1.4;
  }
}
