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
 * @param {number} [least] the decimals of the numbers beside it; above four they are the most, too
 * @returns {{addends: string[], total: string, sign: string}} `sign` is "=", or "≈" where the most
 *   decimals are not enough
 */
export function sums(addends, total = addends.reduce((a, b) => a + b, 0), least = 2) {
  const most = Math.max(least, 4);
  const whole = (/** @type {number} */ x, /** @type {number} */ digits) =>
    Math.round(Number(x.toFixed(digits)) * 10 ** digits);
  const printed = (/** @type {number} */ digits, /** @type {string} */ sign) => ({
    addends: addends.map((x) => fixed(x, digits)),
    total: fixed(total, digits),
    sign,
  });
  const nothing = whole(total, most) === 0;
  for (let digits = least; digits <= most; digits += 1) {
    const shown = whole(total, digits);
    const sum = addends.reduce((a, x) => a + whole(x, digits), 0);
    if (sum === shown && (shown !== 0 || nothing)) return printed(digits, "=");
  }
  return printed(most, "\u2248");
}

const FINEST = 6;

/** Decimals (2 to 6) with which a number keeps two digits. @param {number} x */
function twoDigits(x) {
  for (let digits = 2; digits < FINEST; digits += 1) {
    if (x === 0 || Math.abs(x) >= 9.5 * 10 ** -digits) return digits;
  }
  return FINEST;
}

/**
 * Values that a sentence compares, and their mean: as few decimals (2 to 6) as the largest needs to
 * keep two digits, unequal values to differ as printed, and the mean of the printed values to round
 * to the printed mean (the twin of qa_demo/figures/numbers.py, mean).
 * @param {number[]} values
 * @returns {{addends: string[], total: string, sign: string, digits: number}}
 */
export function means(values) {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const whole = (/** @type {number} */ x, /** @type {number} */ digits) =>
    Math.round(Number(x.toFixed(digits)) * 10 ** digits);
  const different = new Set(values).size;
  const least = Math.max(
    twoDigits(Math.max(...values.map(Math.abs))),
    twoDigits(mean),
  );
  for (let digits = least;; digits += 1) {
    const addends = values.map((x) => fixed(x, digits));
    const sum = values.reduce((a, x) => a + whole(x, digits), 0);
    const exact = 2 * Math.abs(sum - values.length * whole(mean, digits)) <= values.length;
    if ((exact && new Set(addends).size === different) || digits >= FINEST) {
      return { addends, total: fixed(mean, digits), sign: exact ? "=" : "\u2248", digits };
    }
  }
}

/**
 * A printed number as a further term of a sum, its sign apart: " + 1.20", " − 0.30"; the first term
 * keeps its own.
 * @param {string} text
 * @param {boolean} [first]
 */
export const addend = (text, first = false) =>
  first ? text : text.startsWith("\u2212") ? ` \u2212 ${text.slice(1)}` : ` + ${text}`;
