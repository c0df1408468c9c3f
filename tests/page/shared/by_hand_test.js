import assert from "node:assert/strict";
import { history } from "../../../assets/page/shared/by_hand.js";

/** A history by a clock that the test moves. */
function clocked() {
  const clock = { now: 0 };
  return { clock, done: history(() => clock.now) };
}

Deno.test("a drag is one change, two drags are two", () => {
  const { clock, done } = clocked();
  const said = [];
  for (const drag of [1, 2]) {
    done.press(true);
    for (let k = 0; k < 5; k += 1) {
      clock.now += 900;
      done.push("threshold", () => said.push(drag));
    }
    done.press(false);
  }
  for (let last = done.pop(); last; last = done.pop()) last();
  assert.deepEqual(said, [2, 1]);
});

Deno.test("keys in quick turn are one change, after a pause another; so is another thing", () => {
  const { clock, done } = clocked();
  const count = (/** @type {[string, number][]} */ pushed) => {
    done.clear();
    pushed.forEach(([name, later]) => {
      clock.now += later;
      done.push(name, () => {});
    });
    let n = 0;
    while (done.pop()) n += 1;
    return n;
  };
  assert.equal(count([["logits", 9000], ["logits", 100], ["logits", 499]]), 1);
  assert.equal(count([["logits", 9000], ["logits", 500]]), 2);
  assert.equal(count([["logits", 9000], ["decode", 10], ["logits", 10]]), 3);
});

Deno.test("of many changes the last hundred are kept", () => {
  const { clock, done } = clocked();
  for (let k = 0; k < 130; k += 1) {
    clock.now += 1000;
    done.push("logits", () => {});
  }
  let n = 0;
  while (done.pop()) n += 1;
  assert.equal(n, 100);
});
