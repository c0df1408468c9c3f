import assert from "node:assert/strict";
import { ink, moved } from "../../../assets/page/start_end/staircase.js";
import { rng } from "../random.js";

/** Windows of 20 word pieces each, 10 apart. @param {number} count */
const reading = (count) => ({
  page: {
    reading: {
      windows: Array.from({ length: count }, (_, index) => ({
        index,
        docStart: 10 * index,
        docStop: 10 * index + 20,
      })),
    },
  },
});

Deno.test("a column that stands out is seen, however little its window holds of the whole", () => {
  const scale = { log: false, top: 0.25, n: 384 };
  assert.equal(ink(0.25, scale), 1);
  assert.equal(ink(0.02, scale), 0.35);
  assert.equal(ink(0.005, scale), 0.02);
  assert.equal(ink(0.001, { log: false, top: 1, n: 20 }), 0.001);
  assert.equal(ink(1, { ...scale, log: true }), 1);
  const random = rng(7);
  for (let k = 0; k < 500; k += 1) {
    const one = {
      log: k % 2 === 0,
      top: 0.01 + 0.99 * random(),
      n: 10 + Math.floor(500 * random()),
    };
    const [a, b] = [random() * one.top, random() * one.top].sort((x, y) => x - y);
    assert.ok(ink(a, one) <= ink(b, one) && ink(b, one) <= 1 && ink(a, one) >= 0);
  }
});

Deno.test("arrows by hand: sideways within a window, down through its starts and ends", () => {
  const two = reading(2);
  const at = { window: 0, side: "start", doc: 5 };
  assert.deepEqual(moved(two, at, "ArrowRight", 1), { ...at, doc: 6 });
  assert.deepEqual(moved(two, at, "ArrowLeft", 10), { ...at, doc: 0 });
  assert.deepEqual(moved(two, at, "End", 1), { ...at, doc: 19 });
  const down = moved(two, at, "ArrowDown", 1);
  assert.deepEqual(down, { ...at, side: "end" });
  const next = moved(two, down, "ArrowDown", 1);
  assert.deepEqual(next, { window: 1, side: "start", doc: 10 }); // 5 is not in the second window
  assert.deepEqual(moved(two, next, "ArrowUp", 1), { window: 0, side: "end", doc: 10 });
  assert.deepEqual(moved(two, at, "ArrowUp", 1), at);
});

Deno.test("no key leaves the windows", () => {
  const next = rng(3);
  const five = reading(5);
  const keys = ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Home", "End"];
  let at = { window: 2, side: "start", doc: 25 };
  for (let k = 0; k < 2000; k += 1) {
    at = moved(five, at, keys[Math.floor(next() * keys.length)], next() < 0.3 ? 10 : 1);
    const { docStart, docStop } = five.page.reading.windows[at.window];
    assert.ok(at.doc >= docStart && at.doc < docStop);
  }
});
