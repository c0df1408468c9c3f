import assert from "node:assert/strict";
import { bestPair, owning, partner } from "../../../assets/page/shared/pairs.js";
import {
  BACKWARD,
  Cells,
  LEGAL,
  NOT_OWNED,
  OUTSIDE,
  TOO_LONG,
} from "../../../assets/page/spans/cells.js";
import { opened } from "../../../assets/page/shared/window.js";
import { rng } from "../random.js";
import vectors from "../vectors.json" with { type: "json" };

/**
 * A reading of one window over `n` positions, the paragraph at [at, at + count).
 * @param {number[]} start
 * @param {number[]} end
 * @param {{at: number, count: number, owner: number[]}} where
 */
function reading(start, end, { at, count, owner }) {
  const window = opened({
    index: 0,
    n: start.length,
    start: Float32Array.from(start),
    end: Float32Array.from(end),
    tokens: start.map((_, k) => `t${k}`),
    docStart: 0,
    docStop: count,
    contextAt: at,
    clsAt: 0,
  });
  return /** @type {any} */ ({ windows: [window], owner: Int32Array.from(owner) });
}

Deno.test("reasons by hand: position 0 is [CLS], 1 to 3 the paragraph, 3 another window's", () => {
  const one = reading([0, 1, 2, 3, 0], [0, 1, 5, 4, 0], { at: 1, count: 3, owner: [0, 0, 1] });
  const cells = new Cells(one, { longest: 2, copies: "owned" }, 0);
  assert.equal(cells.code(0, 1), OUTSIDE);
  assert.equal(cells.code(1, 4), OUTSIDE);
  assert.equal(cells.code(2, 1), BACKWARD);
  assert.equal(cells.code(1, 3), TOO_LONG);
  assert.equal(cells.code(3, 3), NOT_OWNED);
  assert.equal(cells.code(1, 2), LEGAL);
  assert.equal(cells.bestEnd(1), 2);
  assert.equal(cells.bestEnd(3), -1);
  assert.deepEqual(cells.range(), { low: 6, high: 7 });
});

Deno.test("the best end, the best pair and the range agree with a search over all cells", () => {
  const random = rng(8);
  for (let round = 0; round < 200; round += 1) {
    const n = 6 + Math.floor(random() * 20);
    const at = 1 + Math.floor(random() * 3);
    const count = n - at - 1;
    const draw = () => Array.from({ length: n }, () => Math.round((random() - 0.5) * 64) / 8);
    const owner = Array.from({ length: count }, () => Number(random() < 0.2));
    const one = reading(draw(), draw(), { at, count, owner });
    const longest = 1 + Math.floor(random() * 6);
    const cells = new Cells(one, { longest, copies: "owned" }, 0);
    const legal = [];
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) {
        const inside = [i, j].every((k) => k >= at && k < at + count);
        const allowed = inside && j >= i && j - i < longest && owner[i - at] === 0;
        assert.equal(cells.code(i, j) === LEGAL, allowed);
        if (allowed) legal.push({ i, j, score: cells.s[i] + cells.e[j] });
      }
    }
    if (!legal.length) continue;
    const high = Math.max(...legal.map((c) => c.score));
    assert.equal(cells.range().high, high);
    assert.equal(cells.weight(high), 1);
    const w = one.windows[0];
    const rule = { longest, owns: (/** @type {number} */ i) => owner[i - at] === 0 };
    assert.equal(bestPair(w, w.start, w.end, rule)?.[2], high);
    for (const j of new Set(legal.map((c) => c.j))) {
      const column = legal.filter((c) => c.j === j);
      const best = column.reduce((a, b) => (b.score > a.score ? b : a));
      assert.equal(partner(w, "end", j, w.start, rule), best.i);
    }
    for (const i of new Set(legal.map((c) => c.i))) {
      const row = legal.filter((c) => c.i === i);
      const best = row.reduce((a, b) => (b.score > a.score ? b : a));
      assert.equal(cells.bestEnd(i), best.j);
    }
  }
});

Deno.test("an end takes the highest start that its window owns, by hand", () => {
  const one = reading([0, 9, 1, 2, 0], [0, 0, 0, 0, 0], { at: 1, count: 3, owner: [1, 0, 0] });
  const w = one.windows[0];
  const owned = { longest: 3, owns: owning(one, w, "max_context") };
  assert.equal(
    partner(w, "end", 3, w.start, owned),
    3,
    "9 stands higher, in another window's word",
  );
  assert.equal(partner(w, "end", 3, w.start, { ...owned, owns: owning(one, w, "all") }), 1);
  assert.equal(partner(w, "end", 2, w.start, { ...owned, longest: 2 }), 2);
  assert.equal(partner(w, "end", 1, w.start, owned), 1, "no legal start: the highest of all");
});

Deno.test("a sign of punctuation is named with the word beside it", () => {
  const made = reading([0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], {
    at: 1,
    count: 5,
    owner: [0, 0, 0, 0, 0],
  });
  Object.assign(made, {
    context: "(18th) Sax",
    tokens: [[0, 1, 0], [1, 3, 1], [3, 5, 1], [5, 6, 2], [7, 10, 3]]
      .map(([start, end, word]) => ({ start, end, word })),
  });
  made.windows[0].tokens = ["[CLS]", "(", "18", "##th", ")", "sax"];
  const cells = new Cells(made, { longest: 4, copies: "all" }, 0);
  assert.equal(cells.name(1, "start"), "(18th");
  assert.equal(cells.name(4, "end"), "18th)");
  assert.equal(cells.name(4, "start"), ") Sax");
  assert.equal(cells.name(1, "end"), "(");
  assert.equal(cells.name(0, "start"), "[CLS]");
  assert.equal(cells.name(3, "end"), "##th");
});

Deno.test("reasons, best ends and the highest score are those that Python finds", () => {
  for (const { reading, picture, cells: found } of vectors.matrices) {
    const windows = reading.windows.map(opened);
    found.forEach(({ codes, best: [i, j, high] }, index) => {
      const cells = new Cells(/** @type {any} */ ({ ...reading, windows }), picture, index);
      const at = Array.from({ length: cells.n }, (_, k) => k);
      assert.deepEqual(at.map((a) => at.map((b) => cells.code(a, b))), codes);
      assert.equal(cells.bestEnd(i), j);
      assert.equal(cells.range().high, high);
    });
  }
});
