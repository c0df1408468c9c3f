// Axes and numbers, by d3 (vendor/README.md): scales, ticks whose labels have room, labels that
// stay short at any size, and printed decimals.

import * as d3 from "./vendor/d3.js";

export { extent, max, min, scaleLinear } from "./vendor/d3.js";

/** Average width of a character of a number, in units of the font size. */
const CHARACTER = 0.56;

/** From here on a label counts in thousands, millions ...: "20k" has the room that "20000" lacks. */
const LARGE = 1e4;

/** @type {Map<string, (x: number) => string>} */
const made = new Map();

/**
 * A printer from a d3 format specifier, made once; a minus sign is U+2212 and never "-0.00".
 * @param {string} specifier
 * @returns {(x: number) => string}
 */
function printer(specifier) {
  let print = made.get(specifier);
  if (!print) {
    print = /** @type {(x: number) => string} */ (d3.format(specifier));
    made.set(specifier, print);
  }
  return print;
}

/**
 * A number with fixed decimals and a real minus sign.
 * @param {number} x
 * @param {number} [digits]
 */
export const fixed = (x, digits = 2) => printer(`.${digits}f`)(x);

/**
 * A whole number with its thousands apart: 12,345.
 * @param {number} x
 */
export const grouped = (x) => printer(",d")(x);

/**
 * The labels of an axis: as many decimals as `step` needs; large numbers with k, M, G ..., all
 * labels with the same one.
 * @param {number} step difference of two neighbouring ticks
 * @param {number} largest largest absolute value on the axis
 * @returns {(x: number) => string}
 */
export function labels(step, largest) {
  if (largest < LARGE) return printer(`.${d3.precisionFixed(step)}f`);
  const print = d3.formatPrefix(`.${d3.precisionPrefix(step, largest)}`, largest);
  return (x) => (x === 0 ? "0" : print(x));
}

/**
 * A number that stands alone: fixed decimals, or four digits and k, M, G ... where it is large.
 * @param {number} x
 * @param {number} [digits]
 */
export const short = (x, digits = 1) => Math.abs(x) < LARGE ? fixed(x, digits) : printer(".4~s")(x);

/**
 * Ticks of a linear scale, as close as their labels allow: multiples of 1, 2 or 5 times a power of
 * ten.
 * @param {any} scale d3's scaleLinear, its range in pixels
 * @param {{room: number, em?: number, least?: number}} options `room`: smallest distance of two
 *   ticks in pixels; `em`: font size in pixels where labels stand side by side, 0 where they stand
 *   one above the other; `least`: smallest step
 * @returns {{value: number, at: number, text: string}[]}
 */
export function ticks(scale, { room, em = 0, least = 0 }) {
  const [low, high] = d3.extent(scale.domain());
  const [a, b] = scale.range();
  for (let count = Math.max(1, Math.ceil(Math.abs(b - a) / room)); count >= 1; count -= 1) {
    const values = scale.ticks(count);
    if (!values.length) continue;
    const step = values.length > 1 ? values[1] - values[0] : high - low || 1;
    const print = labels(step, Math.max(Math.abs(low), Math.abs(high)));
    /** @type {{value: number, at: number, text: string}[]} */
    const list = values.map((/** @type {number} */ v) => ({
      value: v,
      at: scale(v),
      text: print(v),
    }));
    const widest = Math.max(...list.map((t) => t.text.length));
    const apart = Math.max(room, em ? (widest * CHARACTER + 0.6) * em : 0);
    const near = list.length > 1 ? Math.abs(list[1].at - list[0].at) : Infinity;
    if (near >= apart && step >= least) return list;
    if (count === 1) return least ? list.filter(({ value }) => value % least === 0) : list;
  }
  return [];
}
