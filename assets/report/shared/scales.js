// Axes, by d3 (README.md): scales, and ticks whose labels have room at any size of numbers.

import { labels } from "./numbers.js";
import { extent } from "./d3.js";

export { extent, max, min, scaleLinear } from "./d3.js";

/**
 * The number itself inside [low, high], else the nearer border.
 * @param {number} x
 * @param {number} low
 * @param {number} high
 */
export const clamp = (x, low, high) => Math.max(low, Math.min(high, x));

/** How far a key moves a value on an axis. */
export const STEPS = {
  ArrowRight: 0.1,
  ArrowUp: 0.1,
  ArrowLeft: -0.1,
  ArrowDown: -0.1,
  PageUp: 1,
  PageDown: -1,
};

/** Average width of a character of a number, in units of the font size. */
const CHARACTER = 0.56;

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
  const [low, high] = extent(scale.domain());
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
