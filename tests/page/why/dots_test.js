import assert from "node:assert/strict";
import { stacked } from "../../../assets/page/why/dots.js";
import { rng } from "../random.js";

Deno.test("equal drops stand one on another, others beside", () => {
  const { r, spots } = stacked([0, 0, 50], 120, 4.5);
  assert.equal(r, 4.5);
  assert.deepEqual(spots, [{ x: 0, y: 4.5 }, { x: 0, y: 14.5 }, { x: 50, y: 4.5 }]);
});

Deno.test("no two dots overlap, none leaves its room, none is far from its drop", () => {
  const random = rng(5);
  for (let round = 0; round < 50; round += 1) {
    const wide = 40 + 560 * random();
    const at = Array.from({ length: 100 }, () => wide * random() ** 3).sort((a, b) => a - b);
    const { r, spots } = stacked(at, 120, 4.5);
    spots.forEach((a, k) => {
      assert.ok(r <= 1 || a.y + r < 120 + 1e-9);
      assert.ok(Math.abs(a.x - at[k]) <= r + 0.5 + 1e-9);
      spots.slice(0, k).forEach((b) => assert.ok(Math.hypot(a.x - b.x, a.y - b.y) >= 2 * r));
    });
  }
});

Deno.test("a hundred equal drops still get a radius", () => {
  const { r, spots } = stacked(Array(100).fill(7), 120, 4.5);
  assert.equal(r, 1);
  assert.equal(new Set(spots.map(({ y }) => y)).size, 100);
});
