import assert from "node:assert/strict";
import { chipsFor, possible } from "../../../assets/page/shared/guess.js";
import { rng } from "../random.js";

Deno.test("a place takes what is asked for, and never more than ten in all", () => {
  const chips = new Map([[3, 4], [7, 2]]);
  assert.equal(possible(chips, 3, 8), 8); // its own four and the four that are left
  assert.equal(possible(chips, 3, 9), 8);
  assert.equal(possible(chips, 5, 10), 4);
  assert.equal(possible(chips, 7, -1), 0);
  const next = rng(5);
  const all = new Map();
  for (let k = 0; k < 1000; k += 1) {
    const at = Math.floor(next() * 6);
    all.set(at, possible(all, at, Math.floor(next() * 14) - 2));
    const sum = [...all.values()].reduce((a, b) => a + b, 0);
    assert.ok(sum <= 10 && all.get(at) >= 0);
  }
});

Deno.test("keys on a place: a number sets, Shift and Enter puts all, Backspace takes one", () => {
  const ask = (/** @type {string} */ key, more = {}) =>
    chipsFor(
      { key, shiftKey: false, ctrlKey: false, altKey: false, metaKey: false, ...more },
      3,
    );
  assert.deepEqual([..."0159"].map((key) => ask(key)), [0, 1, 5, 9]);
  assert.equal(ask("Enter", { shiftKey: true }), 10);
  assert.equal(ask("Enter"), null); // a click of the button: one more
  assert.deepEqual(["Backspace", "Delete", "-"].map((key) => ask(key)), [2, 2, 2]);
  assert.equal(ask("5", { ctrlKey: true }), null); // the browser's
  for (const key of ["a", "Tab", "ArrowRight", "F5"]) assert.equal(ask(key), null);
});
