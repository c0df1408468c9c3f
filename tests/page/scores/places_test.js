import assert from "node:assert/strict";
import { meet, placeFor, touches } from "../../../assets/page/scores/places.js";
import { rng } from "../random.js";

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

const FRAME = { l: 0, r: 300, t: 0, b: 240 };
const dot = (x, y) => ({ l: x - 4, r: x + 4, t: y - 4, b: y + 4 });

Deno.test("a label stands beside its dot; with a dot there it goes to the other side", () => {
  const label = { x: 100, y: 100, w: 40, h: 16, gap: 8 };
  const alone = placeFor(label, FRAME, [], [dot(100, 100)]);
  assert.deepEqual(alone, { l: 108, r: 148, t: 92, b: 108, side: 1, far: false });
  const left = placeFor(label, FRAME, [], [dot(100, 100), dot(120, 100)]);
  assert.equal(left?.r, 92);
  const right = { l: 101, r: 200, t: 60, b: 140 };
  assert.equal(placeFor(label, FRAME, [right], [dot(100, 100)])?.r, 92);
});

Deno.test("in a crowd a label goes away with a line, and one that need not be shown is left out", () => {
  const crowd = Array.from({ length: 400 }, (_, k) => dot(60 + 4 * (k % 20), 60 + 4 * (k / 20)));
  const label = { x: 100, y: 100, w: 40, h: 16, gap: 8, must: true };
  const found = placeFor(label, FRAME, [], crowd);
  assert.ok(found?.far && !crowd.some((box) => meet(found, box)));
  const full = Array.from({ length: 3000 }, (_, k) => dot(5 * (k % 60), 5 * Math.floor(k / 60)));
  assert.equal(placeFor({ ...label, must: false }, FRAME, [], full), null);
  assert.ok(placeFor(label, FRAME, [], full), "one of the answer is always shown");
});

Deno.test("no label of a random plane leaves it or lies on another, and none needless on a dot", () => {
  const random = rng(7);
  for (let run = 0; run < 60; run += 1) {
    const at = () => [300 * random() ** 2, 240 * random()];
    const points = Array.from({ length: 90 }, at);
    const dots = points.map(([x, y]) => dot(x, y));
    const taken = [];
    for (const [x, y] of points.slice(0, 8)) {
      const label = { x, y, w: 20 + 80 * random(), h: 16, gap: 8, must: random() < 0.3 };
      const found = placeFor(label, FRAME, taken, dots);
      if (!found) continue;
      assert.ok(found.l >= 0 && found.r <= 300 && found.t >= 0 && found.b <= 240);
      assert.ok(!taken.some((box) => meet(found, box)));
      assert.ok(label.must || !dots.some((box) => meet(found, box)));
      taken.push(found);
    }
    assert.ok(taken.length > 2);
  }
});
