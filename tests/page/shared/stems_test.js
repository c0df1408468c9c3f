import assert from "node:assert/strict";
import { FLOOR, LABEL, laneHeight, makeScale, printed } from "../../../assets/page/shared/stems.js";

Deno.test("a linear stem of p = 1/2 has half of the full height, one under 1/n none", () => {
  const scale = makeScale({ log: false, n: 10, size: 1 });
  assert.equal(scale.full, 72);
  assert.equal(scale.height(0.5), 36);
  assert.equal(scale.height(0.09), 0);
  assert.equal(scale.uniform, 0);
});

Deno.test("a logarithmic stem loses a quarter with each power of ten, down to a stub", () => {
  const scale = makeScale({ log: true, n: 100, size: 2 });
  [1, 0.1, 0.01].forEach((p, k) => assert.ok(Math.abs(scale.height(p) - 144 * (1 - k / 4)) < 1e-9));
  assert.equal(scale.height(FLOOR / 10), 2);
  assert.equal(scale.uniform, scale.height(0.01));
});

Deno.test("stems never fall as p grows", () => {
  for (const log of [false, true]) {
    const { height } = makeScale({ log, n: 40, size: 1.6 });
    let before = 0;
    for (let k = 0; k <= 1000; k += 1) {
      assert.ok(height(k / 1000) >= before);
      before = height(k / 1000);
    }
  }
});

Deno.test("a lane has room for its tallest stem, its number and its triangle", () => {
  const scale = makeScale({ log: false, n: 10, size: 1 });
  assert.equal(laneHeight([], scale), 12);
  assert.equal(laneHeight([{ p: 0.5, apart: false }, { p: LABEL / 2, apart: false }], scale), 53);
  assert.equal(laneHeight([{ p: 0.5, apart: true }], scale), 66);
});

Deno.test("a probability that is not 1 is not printed as 1.00", () => {
  assert.deepEqual([1, 0.9999, 0.5, 0.004].map(printed), ["1.00", "> 0.99", "0.50", "0.00"]);
});
