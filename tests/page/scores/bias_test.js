import assert from "node:assert/strict";
import { measure } from "../../../assets/page/scores/bias.js";
import { bestPair } from "../../../assets/page/shared/pairs.js";

const WINDOW = { contextAt: 1, stop: 3, clsAt: 0, n: 4 };
const RULE = { longest: 2, owns: () => true };
const ENDS = [0, 3, 1, 0];

Deno.test("other logits than moved ones give other probabilities: each is computed again", () => {
  const at = (/** @type {number[]} */ starts) =>
    measure(WINDOW, Float64Array.from(starts), Float64Array.from(ENDS), [1, 2], 1, RULE);
  const [before, after] = [at([0, 1, 2, 0]), at([0, 1, 2.5, 0])];
  const { E, exp } = Math;
  assert.ok(Math.abs(before.pStart - E / (2 + E + exp(2))) < 1e-12);
  assert.ok(after.pStart < before.pStart && after.loss > before.loss);
  assert.equal(before.against, 2);
  assert.equal(before.best, "1 to 1");
});

Deno.test("the best pair by hand, in all copies and where a window owns one word", () => {
  const starts = [0, 1, 9, 0];
  assert.deepEqual(bestPair(WINDOW, starts, ENDS, RULE), [2, 2, 10]);
  const owned = { ...RULE, owns: (/** @type {number} */ p) => p === 1 };
  assert.deepEqual(bestPair(WINDOW, starts, ENDS, owned), [1, 1, 4]);
});
