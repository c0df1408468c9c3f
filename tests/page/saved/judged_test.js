// A guess in a lesson of the static edition: the sentence that Python has written for it.

import assert from "node:assert/strict";
import { judged } from "../../../assets/page/saved/judged.js";

const BASE = { lesson: "l", step: 2, answer: "copies", decides: "d", reveal: "r" };
const STEP = {
  base: { ...BASE, right: false, yours: "" },
  told: { "null": { right: false, yours: "" }, "[1,2]": { right: true, yours: "The same words." } },
  numbers: /** @type {[number, number, any][]} */ ([
    [0.25, 0.01, { right: true, yours: "Yes." }],
    [4, 0.01, { right: false, yours: "The inverse." }],
  ]),
  otherwise: { right: false, yours: "You wrote {guess}; it is 0.25." },
};

Deno.test("a guess is answered by what was said of it beforehand", () => {
  const yours = (guess) => judged(STEP, guess).yours;
  assert.deepEqual(judged(STEP, [1, 2]), { ...BASE, right: true, yours: "The same words." });
  assert.deepEqual(judged(STEP, null), STEP.base);
  assert.equal(yours(0.259), "Yes.");
  assert.equal(yours(4), "The inverse.");
  assert.equal(yours(0.3), "You wrote 0.3; it is 0.25.");
  assert.equal(yours([3, 9]), "You wrote 3,9; it is 0.25.");
  assert.equal(judged(STEP, 0.3).right, false);
  const dollar = { ...STEP, told: {}, numbers: [], otherwise: { right: false, yours: "{guess}" } };
  assert.equal(judged(dollar, "$&").yours, "$&");
});
