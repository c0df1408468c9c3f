// Where the names above an axis stand: in two rows, none on another, on another's leader or on the
// line of log Z, which stands through both rows.

import { clamp } from "../shared/scales.js";

const ROWS = 2;
const GAP = 4;

/**
 * Places for the names of ticks, the first first; a name without room has none.
 * @param {{x: number, half: number}[]} ticks place of the tick and half the width of its name
 * @param {{line: number, right: number}} axis the line of log Z and the end of the axis
 * @returns {({at: number, row: number, foot: number} | null)[]} centre and row of the name, and
 *   where its leader ends below it
 */
export function placeNames(ticks, { line, right }) {
  /** @type {{at: number, row: number, foot: number, x: number, half: number}[]} */
  const taken = [];
  return ticks.map(({ x, half }) => {
    for (let row = 0; row < ROWS; row += 1) {
      for (const at of beside(x, half, line, right)) {
        const foot = clamp(x, at - half + GAP, at + half - GAP);
        const one = { at, row, foot, x, half };
        if (taken.every((other) => apart(one, other))) {
          taken.push(one);
          return { at, row, foot };
        }
      }
    }
    return null;
  });
}

/**
 * Above the tick; where that crosses the line, beside the line, on the side of the tick first.
 * @param {number} x
 * @param {number} half
 * @param {number} line
 * @param {number} right
 */
function beside(x, half, line, right) {
  const above = clamp(x, half, right - half);
  if (Math.abs(above - line) >= half + GAP) return [above];
  const [near, far] = x <= line ? [-1, 1] : [1, -1];
  return [near, far].map((side) => line + side * (half + GAP))
    .filter((at) => at >= half && at <= right - half);
}

/**
 * Names of one row do not touch, and no leader to the upper row goes through a name of the lower.
 * @param {{at: number, row: number, foot: number, x: number, half: number}} a
 * @param {{at: number, row: number, foot: number, x: number, half: number}} b
 */
function apart(a, b) {
  if (a.row === b.row) return Math.abs(a.at - b.at) >= a.half + b.half;
  const [low, high] = a.row < b.row ? [a, b] : [b, a];
  const from = Math.min(high.x, high.foot);
  const to = Math.max(high.x, high.foot);
  return to < low.at - low.half || from > low.at + low.half;
}
