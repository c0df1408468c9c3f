// Numbers as printed, by d3 (vendor/README.md): fixed decimals, whole numbers with their thousands
// apart, short forms of large ones, and sums that add up.

import * as d3 from "../vendor/d3.js";

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
 * Addends and their total with as few decimals (2 to 4) as the rounded addends need to add up to
 * the rounded total, and the total to show (the twin of qa_demo/figures/numbers.py, total).
 * @param {number[]} addends
 * @param {number} [total]
 * @returns {{addends: string[], total: string, sign: string}} `sign` is "=", or "≈" where four
 *   decimals are not enough
 */
export function sums(addends, total = addends.reduce((a, b) => a + b, 0)) {
  const whole = (/** @type {number} */ x, /** @type {number} */ digits) =>
    Math.round(Number(x.toFixed(digits)) * 10 ** digits);
  const printed = (/** @type {number} */ digits, /** @type {string} */ sign) => ({
    addends: addends.map((x) => fixed(x, digits)),
    total: fixed(total, digits),
    sign,
  });
  const nothing = whole(total, 4) === 0;
  for (let digits = 2; digits <= 4; digits += 1) {
    const shown = whole(total, digits);
    const sum = addends.reduce((a, x) => a + whole(x, digits), 0);
    if (sum === shown && (shown !== 0 || nothing)) return printed(digits, "=");
  }
  return printed(4, "\u2248");
}

/**
 * A printed number as a further term of a sum, its sign apart: " + 1.20", " − 0.30"; the first term
 * keeps its own.
 * @param {string} text
 * @param {boolean} [first]
 */
export const addend = (text, first = false) =>
  first ? text : text.startsWith("\u2212") ? ` \u2212 ${text.slice(1)}` : ` + ${text}`;
