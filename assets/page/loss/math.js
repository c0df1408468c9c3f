// Chapter 5 in numbers: targets of a window, log Z, loss and gradient.

import { softmax } from "../shared/pack.js";

export const SIDES = ["start", "end"];

/**
 * Dense target row [n] from the sparse [[pos, weight]] that Python sends.
 * @param {number[][]} sparse
 * @param {number} n
 */
export function target(sparse, n) {
  const row = new Float64Array(n);
  for (const [pos, weight] of sparse) row[pos] = weight;
  return row;
}

/**
 * log sum_k exp(x_k), shifted by the largest logit.
 * @param {Iterable<number>} logits
 */
export function logZ(logits) {
  const top = Math.max(...logits);
  let sum = 0;
  for (const x of logits) sum += Math.exp(x - top);
  return top + Math.log(sum);
}

/**
 * One head of one window: {logits, y, p, z, loss}; `alone` normalises over the labels only, as one
 * text has it.
 * @param {ArrayLike<number> & Iterable<number>} logits
 * @param {number[][]} sparse labels as [pos, weight]
 * @param {boolean} [alone]
 */
export function head(logits, sparse, alone = false) {
  const y = target(sparse, logits.length);
  const z = alone ? logZ(sparse.map(([pos]) => logits[pos])) : logZ(logits);
  let loss = 0;
  for (const [pos, weight] of sparse) loss += weight * (z - logits[pos]);
  return { logits, y, z, loss, sparse, p: softmax(logits) };
}

/**
 * What a softmax over the label alone leaves to learn: nothing at a head with one labelled
 * position, the shares among them at a head with several.
 * @param {number} starts labelled starts
 * @param {number} ends labelled ends
 */
export function aloneSays(starts, ends) {
  if (starts === 1 && ends === 1) {
    return "a softmax over one position is always 1, so nothing is left to learn";
  }
  const kept = [[starts, "starts"], [ends, "ends"]].filter(([count]) => Number(count) > 1)
    .map(([count, name]) => `the ${count} labelled ${name}`).join(" and among ");
  return `only the shares among ${kept} are left to learn; every other position is free`;
}
