// The gaps of one head: a bracket from each label's logit to log Z, and what they add up to.

import { svg } from "../shared/dom.js";
import { fixed, probability, sums } from "../shared/numbers.js";
import { clamp } from "../shared/scales.js";
import { logZ } from "./math.js";

/** Height of a row, em. */
export const ROW = 1.6;
const MOST = 4;
/** So many of the highest logits are always inside the axis. */
const SHOWN = 5;
/** A bracket narrower than so many em is drawn enlarged. */
const NARROW = 1.2;
const WIDE = 4;

/**
 * The part of the axis that matters: from the lowest label, or the fifth logit, to log Z.
 * @param {ArrayLike<number> & Iterable<number>} logits
 * @param {number[]} labels positions
 * @returns {[number, number]}
 */
export function fullDomain(logits, labels) {
  const order = [...logits].sort((a, b) => b - a);
  const low = Math.min(order[Math.min(SHOWN, order.length) - 1], ...labels.map((p) => logits[p]));
  const high = logZ(logits);
  const more = Math.max(0.25, (high - low) * 0.06);
  return [low - more, high + more];
}

/**
 * The entropy of the labels, below which no training brings the loss: 0 when all annotators agree.
 * @param {number[][]} sparse labels as [pos, weight]
 */
export const floor = (sparse) =>
  sparse.reduce((sum, [, weight]) => sum - weight * Math.log(weight), 0);

/**
 * A share of the annotators as a fraction: 2/3; with decimals where more than 25 of them count.
 * @param {number} weight
 */
export function share(weight) {
  for (let n = 1; n <= 25; n += 1) {
    const k = Math.round(weight * n);
    if (Math.abs(k - weight * n) < 1e-9) return n === 1 ? String(k) : `${k}/${n}`;
  }
  return fixed(weight);
}

/**
 * Rows under an axis: one for each label, at most four, and their sum.
 * @param {number[][]} sparse
 */
export const rowsFor = (sparse) => Math.min(sparse.length, MOST) + (sparse.length > 1 ? 1 : 0);

/** With more decimals than these the loss stands alone: the column has no room for p beside it. */
const LONG = 3;

/**
 * The printed rows of one head: `pos` is null where further labels are taken together.
 * @param {ArrayLike<number>} logits
 * @param {number} z
 * @param {number[][]} sparse
 * @param {boolean} narrow
 * @param {number} [digits] the decimals of the loss above (`means`)
 * @returns {{pos: number | null, text: string}[]}
 */
export function gapRows(logits, z, sparse, narrow, digits = 2) {
  if (sparse.length === 1) {
    const gap = fixed(z - logits[sparse[0][0]], digits);
    const p = probability(Math.exp(logits[sparse[0][0]] - z));
    const whole = digits > LONG ? `−log p = ${gap}` : `p ${p}, −log p = ${gap}`;
    return [{ pos: sparse[0][0], text: narrow ? gap : whole }];
  }
  const order = [...sparse].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const named = order.length > MOST ? order.slice(0, MOST - 1) : order;
  const rest = order.slice(named.length);
  const cost = (/** @type {number[]} */ [pos, weight]) => weight * (z - logits[pos]);
  const printed = sums(
    [
      ...named.map(cost),
      ...(rest.length ? [rest.map(cost).reduce((sum, more) => sum + more, 0)] : []),
    ],
    undefined,
    digits,
  );
  const decimals = printed.total.split(".")[1].length;
  /** @type {{pos: number | null, text: string}[]} */
  const rows = named.map(([pos, weight], k) => ({
    pos,
    text: narrow
      ? `${share(weight)} · ${fixed(z - logits[pos], digits)}`
      : product(weight, fixed(z - logits[pos], decimals), printed.addends[k]),
  }));
  if (rest.length) rows.push({ pos: null, text: `${rest.length} more: ${printed.addends.at(-1)}` });
  return [...rows, { pos: null, text: `sum ${printed.total}` }];
}

/**
 * One row of the column: share · (−log p), with "≈" where the printed numbers do not come out.
 * @param {number} weight
 * @param {string} gap
 * @param {string} cost
 */
function product(weight, gap, cost) {
  const exact = fixed(weight * Number(gap), cost.split(".")[1].length) === cost;
  return `${share(weight)} · ${gap} ${exact ? "=" : "\u2248"} ${cost}`;
}

/** Draw log Z, the brackets and the column of numbers beside them. */
export function drawGaps(parts, { logits, z, sparse }, digits) {
  const { x, y, em, rule, gaps, right, narrow } = parts;
  const rows = gapRows(logits, z, sparse, narrow, digits);
  const at = x(z);
  const bottom = y + em * (2.2 + ROW * rows.filter(({ pos }) => pos !== null).length) - em * 0.6;
  const left = at > right - em * 3;
  rule.replaceChildren(
    svg("line.rule-ink", [at, em * 1.2, at, bottom]),
    svg("text", [at + (left ? 5 : 0), em * 0.9, left ? "end" : "middle"], `log Z ${fixed(z)}`),
  );
  const head = sparse.length > 1 && !narrow
    ? [svg("text.quiet", [right + em * 0.8, y + em * 0.3], "share · (−log p)")]
    : [];
  gaps.replaceChildren(
    ...head,
    ...rows.flatMap(({ pos, text }, k) => {
      const h = y + em * (2.4 + ROW * k);
      return [
        ...(pos === null ? [] : bracket(x(logits[pos]), at, h, parts)),
        svg("text", [right + em * 0.8, h + em * 0.3], {
          class: k === rows.length - 1 ? "gap-sum" : null,
        }, text),
      ];
    }),
  );
}

/** From the label to log Z; a gap too small to see is drawn wider, with how many times. */
function bracket(a, b, h, { y, em, right }) {
  const line = (p, q) =>
    svg("path.gap", `M${p},${h - 5}V${h + 5}M${p},${h}H${q}M${q},${h - 5}V${h + 5}`);
  if (b - a >= em * NARROW) return [line(a, b)];
  const q = clamp(b + em, em * WIDE, right - 4);
  const p = q - em * WIDE;
  const times = b - a > 0 ? (em * WIDE) / (b - a) : Infinity;
  return [
    svg("path.lens", `M${a},${y}L${p},${h}M${b},${y}L${q},${h}`),
    line(p, q),
    svg(
      "text.quiet",
      [p - 6, h + em * 0.3, "end"],
      times < 1000 ? `×${Math.round(times)}` : "enlarged",
    ),
  ];
}
