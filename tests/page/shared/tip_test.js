import assert from "node:assert/strict";
import { beside } from "../../../assets/page/shared/tip.js";
import { rng } from "../random.js";

const SCREEN = { width: 1280, height: 800 };

Deno.test("right and below of the point where there is room, else left and above", () => {
  const box = { width: 200, height: 40 };
  assert.deepEqual(beside({ x: 100, y: 100 }, box, SCREEN), { left: 114, top: 114 });
  assert.deepEqual(beside({ x: 1270, y: 790 }, box, SCREEN), { left: 1056, top: 736 });
});

Deno.test("the box stays inside the window and does not cover the point", () => {
  const next = rng(3);
  for (let k = 0; k < 2000; k += 1) {
    const screen = { width: 320 + next() * 1600, height: 480 + next() * 700 };
    const point = { x: next() * screen.width, y: next() * screen.height };
    const box = { width: 40 + next() * (screen.width - 60), height: 20 + next() * 120 };
    const { left, top } = beside(point, box, screen);
    assert.ok(left >= 0 && top >= 0);
    assert.ok(left + box.width <= screen.width && top + box.height <= screen.height);
    const over = left < point.x && point.x < left + box.width && top < point.y &&
      point.y < top + box.height;
    assert.ok(!over, JSON.stringify({ screen, point, box, left, top }));
  }
});
