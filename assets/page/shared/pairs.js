// Which starts a window may propose, and the best legal pairs (qa_demo/core/reading/spans.py). All
// positions count from the window's first.

/**
 * Whether a window may propose a start: each that it holds, or only those it owns.
 * @param {import("./store.js").Reading} reading
 * @param {import("./store.js").ReadWindow} w
 * @param {string} copies "all" or "max_context"
 * @returns {(pos: number) => boolean}
 */
export const owning = (reading, w, copies) => (pos) =>
  copies === "all" || reading.owner[w.doc(pos)] === w.index;

/**
 * The highest logit of the other side that makes a legal pair with one end of a span, at most
 * `longest` word pieces long; ties keep the lower position. Where another window owns all its
 * starts, no pair is legal: then the highest of all.
 * @param {"start" | "end"} side the end that is given
 * @param {ArrayLike<number>} other logits of the other side
 * @param {{longest: number, owns: (pos: number) => boolean}} rule
 */
export function partner(w, side, pos, other, rule) {
  const [from, to] = side === "start"
    ? [pos, Math.min(w.stop, pos + rule.longest) - 1]
    : [Math.max(w.contextAt, pos - rule.longest + 1), pos];
  const held = Array.from({ length: to - from + 1 }, (_, k) => from + k);
  const own = side === "end" ? held.filter(rule.owns) : held;
  return (own.length ? own : held).reduce((a, b) => other[b] > other[a] ? b : a);
}

/**
 * The best legal pair of a window: [start pos, end pos, score] or null.
 * @param {ArrayLike<number>} start
 * @param {ArrayLike<number>} end
 * @param {{longest: number, owns: (pos: number) => boolean}} rule
 */
export function bestPair(w, start, end, rule) {
  /** @type {[number, number, number] | null} */
  let best = null;
  for (let i = w.contextAt; i < w.stop; i += 1) {
    if (!rule.owns(i)) continue;
    const j = partner(w, "start", i, end, rule);
    if (!best || start[i] + end[j] > best[2]) best = [i, j, start[i] + end[j]];
  }
  return best;
}
