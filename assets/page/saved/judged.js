// What is said of a guess in a lesson of the static edition: Python has said it beforehand
// (qa_demo/views/saved/steps.py).

import { canonical } from "./tape.js";

/**
 * @param {{base: any, told: Record<string, any>, numbers: [number, number, any][],
 *   otherwise: any}} step
 * @param {any} guess
 */
export function judged({ base, told, numbers, otherwise }, guess) {
  const near = numbers.find(([value, within]) => Math.abs(guess - value) <= within);
  const { right, yours } = told[canonical(guess)] ?? near?.[2] ?? otherwise;
  return { ...base, right, yours: yours.replace("{guess}", () => String(guess)) };
}
