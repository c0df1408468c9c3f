// Numbers as printed: the nearest decimal of the exact binary value, exact ties away from zero, and
// sums that add up (the twin of qa_demo/evaluation/numbers.py); thousands and short forms of large
// ones by d3 (README.md).

import * as d3 from "./d3.js";

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
 * The digits of a size. `toFixed` is exact and takes ties up, but gives 1e+21 from there on.
 * @param {number} size not negative
 * @param {number} digits
 */
function digitsOf(size, digits) {
  if (!(size >= 1e21 && size < Infinity)) return size.toFixed(digits);
  return `${BigInt(size)}${digits ? `.${"0".repeat(digits)}` : ""}`;
}

/**
 * How many of its last printed places a number is: 0.125 with two decimals is 13 of 0.01.
 * @param {number} x
 * @param {number} [digits]
 */
export function units(x, digits = 2) {
  const size = BigInt(digitsOf(Math.abs(x), digits).replace(".", ""));
  return x < 0 ? -size : size;
}

/**
 * The number that `fixed` prints, to compute with.
 * @param {number} x
 * @param {number} [digits]
 */
export const rounded = (x, digits = 2) => Number(x.toFixed(digits));

/**
 * A number with fixed decimals and a real minus sign; never minus zero.
 * @param {number} x
 * @param {number} [digits]
 */
export function fixed(x, digits = 2) {
  const text = digitsOf(Math.abs(x), digits);
  return x < 0 && /[1-9I]/.test(text) ? `\u2212${text}` : text;
}

/** A difference with its sign: "+1.20", "\u22120.30", "0.00". @param {number} x */
export const signed = (x) => `${rounded(x) > 0 ? "+" : ""}${fixed(x)}`;

/**
 * A probability in percent, never 0 % and never a 100 % that is not one.
 * @param {number} p
 */
export function percent(p) {
  if (p < 0.01) return "< 1 %";
  return p > 0.99 && p < 1 ? "> 99 %" : `${fixed(100 * p, 0)} %`;
}

/**
 * A probability with fixed decimals, never 0.000 and never a 1.000 that is not one.
 * @param {number} p
 * @param {number} [digits]
 */
export function probability(p, digits = 3) {
  const floor = 10 ** -digits;
  if (p < floor) return `< ${fixed(floor, digits)}`;
  return p > 1 - floor && p < 1 ? `> ${fixed(1 - floor, digits)}` : fixed(p, digits);
}

/**
 * Where a score, or the limit of an answer, stands beside the score of no answer: "8.57 below"; the
 * report has no other sign for it.
 * @param {number} lead
 */
export const beside = (lead) => `${fixed(Math.abs(lead))} ${lead >= 0 ? "above" : "below"}`;

/** A small number by its first digits: 0.00012. @param {number} x @param {number} [digits] */
export const significant = (x, digits = 2) => x.toPrecision(digits);

/** A place in a picture, to a tenth of a pixel: for paths, not for people. @param {number} x */
export const place = (x) => x.toFixed(1);

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
 * the rounded total, and the total to show (the twin of qa_demo/evaluation/numbers.py, total).
 * @param {number[]} addends
 * @param {number} [total]
 * @param {number} [least] the decimals of the numbers beside it; above four they are the most, too
 * @returns {{addends: string[], total: string, sign: string}} `sign` is "=", or "≈" where the most
 *   decimals are not enough
 */
export function sums(addends, total = addends.reduce((a, b) => a + b, 0), least = 2) {
  const most = Math.max(least, 4);
  const printed = (/** @type {number} */ digits, /** @type {string} */ sign) => ({
    addends: addends.map((x) => fixed(x, digits)),
    total: fixed(total, digits),
    sign,
  });
  const nothing = units(total, most) === 0n;
  for (let digits = least; digits <= most; digits += 1) {
    const shown = units(total, digits);
    const sum = addends.reduce((a, x) => a + units(x, digits), 0n);
    if (sum === shown && (shown !== 0n || nothing)) return printed(digits, "=");
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
 * keep two digits, unequal values to differ as printed, and the mean of the printed values to round,
 * a tie away from zero, to the printed mean (the twin of qa_demo/evaluation/numbers.py, mean).
 * @param {number[]} values
 * @returns {{addends: string[], total: string, sign: string, digits: number}}
 */
export function means(values) {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const different = new Set(values).size;
  const least = Math.max(twoDigits(Math.max(...values.map(Math.abs))), twoDigits(mean));
  for (let digits = least;; digits += 1) {
    const addends = values.map((x) => fixed(x, digits));
    const sum = values.reduce((a, x) => a + units(x, digits), 0n);
    const exact = units(Number(sum) / values.length, 0) === units(mean, digits);
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
