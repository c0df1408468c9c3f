import assert from "node:assert/strict";
import { placeNames } from "../../../assets/page/loss/names.js";
import { rng } from "../random.js";

const RIGHT = 600;

Deno.test("a name whose tick stands on the line of log Z moves beside the line", () => {
  const [found] = placeNames([{ x: 300, half: 20 }], { line: 301, right: RIGHT });
  assert.deepEqual(found, { at: 277, row: 0, foot: 293 });
  const [away] = placeNames([{ x: 200, half: 20 }], { line: 301, right: RIGHT });
  assert.deepEqual(away, { at: 200, row: 0, foot: 200 });
});

Deno.test("a name at the left edge gives way to the right of the line", () => {
  const [found] = placeNames([{ x: 10, half: 20 }], { line: 12, right: RIGHT });
  assert.equal(found?.at, 36);
});

Deno.test("no name touches another, a leader or the line, and the first has one", () => {
  const random = rng(12);
  for (let round = 0; round < 500; round += 1) {
    const line = 60 + random() * (RIGHT - 60);
    const ticks = Array.from({ length: 1 + Math.floor(random() * 8) }, () => ({
      x: Math.min(line, random() < 0.3 ? line : random() * RIGHT),
      half: 8 + random() * 45,
    }));
    ticks[0].half = Math.min(ticks[0].half, 25);
    const found = placeNames(ticks, { line, right: RIGHT });
    assert.ok(found[0], "the label, which comes first, is named");
    const boxes = found.flatMap((place, k) => place ? [{ ...place, ...ticks[k] }] : []);
    for (const [k, a] of boxes.entries()) {
      assert.ok(a.at - a.half >= 0 && a.at + a.half <= RIGHT);
      assert.ok(line < a.at - a.half || line > a.at + a.half, "the line crosses no name");
      assert.ok(a.foot > a.at - a.half && a.foot < a.at + a.half, "a leader ends at its name");
      for (const b of boxes.slice(0, k)) {
        const wide = Math.min(a.at + a.half, b.at + b.half) -
          Math.max(a.at - a.half, b.at - b.half);
        if (a.row === b.row) assert.ok(wide <= 1e-9);
        else {
          const [low, high] = a.row ? [b, a] : [a, b];
          for (let t = 0; t <= 1; t += 0.25) {
            const x = high.x + t * (high.foot - high.x);
            assert.ok(x < low.at - low.half || x > low.at + low.half);
          }
        }
      }
    }
  }
});
