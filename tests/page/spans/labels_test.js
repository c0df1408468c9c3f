import assert from "node:assert/strict";
import { hang } from "../../../assets/page/spans/labels.js";
import { turned } from "../../../assets/page/spans/text.js";
import { rng } from "../random.js";

Deno.test("names of near columns part to both sides; far ones hang at the right", () => {
  const all = (/** @type {number[]} */ places) =>
    hang(places, places.map(() => 40), 300).map(({ side, level }) => [side, level]);
  assert.deepEqual(all([100, 200]), [[1, 0], [1, 0]]);
  assert.deepEqual(all([100, 110, 200]), [[-1, 0], [1, 0], [1, 0]]);
  assert.deepEqual(all([100, 110, 120, 280]), [[-1, 0], [-1, 1], [-1, 2], [-1, 0]]);
  assert.deepEqual(all([100, 110, 120]), [[-1, 0], [1, 1], [1, 0]]);
});

Deno.test("no line goes through a name, and no two names touch", () => {
  const random = rng(13);
  for (let round = 0; round < 500; round += 1) {
    const count = 1 + Math.floor(random() * 7);
    const places = Array.from({ length: count }, () => 100 + Math.floor(random() * 200))
      .sort((a, b) => a - b).filter((x, k, all) => x !== all[k - 1]);
    const widths = places.map(() => 10 + random() * 80);
    const hung = hang(places, widths, 320);
    const levels = hung.map(({ level }) => level);
    const boxes = places.map((x, k) =>
      hung[k].side === 1 ? [x, x + widths[k]] : [x - widths[k], x]
    );
    places.forEach((x, k) => {
      assert.ok(hung[k].side === -1 || x + widths[k] <= 320);
      places.forEach((_, m) => {
        if (m === k) return;
        const [a, b] = boxes[m];
        if (levels[m] < levels[k]) assert.ok(x <= a || x >= b, "a line through a name");
        if (levels[m] === levels[k]) assert.ok(boxes[k][0] >= b || boxes[k][1] <= a, "names touch");
      });
    });
  }
});

const line = (/** @type {string} */ text) => text.split(" ").map((word) => ({ text: word }));

Deno.test("words that run against their line are named where there are two or more", () => {
  assert.equal(turned(line("كان يعمل في House of Wisdom هناك"), true), "House of Wisdom");
  assert.equal(turned(line("كان يعمل في Baghdad هناك"), true), null);
  assert.equal(turned(line("he worked in بيت الحكمة then"), false), "بيت الحكمة");
  assert.equal(turned(line("he worked in Baghdad , then"), false), null);
});
