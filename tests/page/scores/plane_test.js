import assert from "node:assert/strict";
import { touches } from "../../../assets/page/scores/plane.js";

const BOX = { l: 10, r: 30, t: 10, b: 20 };

Deno.test("a line touches a box when it passes through, ends in it or runs along it", () => {
  assert.ok(touches(BOX, [0, 15], [40, 15]));
  assert.ok(touches(BOX, [20, 15], [20, 90]));
  assert.ok(touches(BOX, [0, 0], [40, 30]));
  assert.ok(touches(BOX, [10, 0], [10, 40]));
  assert.ok(touches(BOX, [15, 15], [15, 15]));
});

Deno.test("a line beside a box, or one that ends before it, does not touch it", () => {
  assert.ok(!touches(BOX, [0, 25], [40, 25]));
  assert.ok(!touches(BOX, [0, 15], [9, 15]));
  assert.ok(!touches(BOX, [0, 20], [20, 40]));
  assert.ok(!touches(BOX, [5, 0], [5, 40]));
});
