import assert from "node:assert/strict";
import { placeLabels } from "../../../assets/page/shared/rows.js";
import { rng } from "../random.js";

const ROOM = { width: 400, rule: null, rows: 4, pad: 5 };

Deno.test("labels by hand: over their dots, in a second row, beside the rule", () => {
  const far = placeLabels([{ x: 300, half: 40, rank: 1 }, { x: 100, half: 40, rank: 2 }], ROOM);
  assert.deepEqual(far, [{ at: 300, foot: 300, row: 0 }, { at: 100, foot: 100, row: 0 }]);
  const [won, next] = placeLabels(
    [{ x: 300, half: 40, rank: 1 }, { x: 290, half: 40, rank: 2 }],
    ROOM,
  );
  assert.deepEqual(won, { at: 300, foot: 300, row: 0 });
  assert.ok(next.row === 0 && next.at <= 220, "beside the winner, not over its leader");
  const [right] = placeLabels([{ x: 205, half: 40, rank: 1 }], { ...ROOM, rule: 200 });
  assert.deepEqual(right, { at: 245, foot: 205, row: 0 });
  const [left] = placeLabels([{ x: 190, half: 40, rank: 3 }], { ...ROOM, rule: 200 });
  assert.deepEqual(left, { at: 155, foot: 190, row: 0 });
  const pair = [{ x: 300, half: 40, rank: 1 }, { x: 345, half: 40, rank: 3 }];
  const [, over] = placeLabels(pair, { ...ROOM, slides: false });
  assert.deepEqual(over, { at: 345, foot: 345, row: 1 }, "over its dot, a row higher");
  assert.equal(placeLabels([{ x: 5, half: 40, rank: 1 }], ROOM)[0].at, 40, "inside the picture");
});

Deno.test("no two labels touch, none leaves the picture or is crossed, the first two always stand", () => {
  const next = rng(11);
  for (let k = 0; k < 400; k += 1) {
    const width = 340 + next() * 900;
    const rule = next() < 0.3 ? null : next() * width;
    const labels = Array.from({ length: 1 + Math.floor(next() * 20) }, (_, r) => ({
      x: 10 + next() * (width - 20),
      half: 15 + next() * Math.min(70, width / 5),
      rank: r + 1,
    })).sort((a, b) => b.x - a.x).map((label, r) => ({ ...label, rank: r + 1 }));
    const placed = placeLabels(labels, { width, rule, rows: 3, pad: 8 });
    placed.forEach(({ at, row }, a) => {
      const { half } = labels[a];
      if (a < 2) assert.ok(row !== null, `rank ${a + 1} has no label`);
      if (row === null) return;
      if (a >= 2) {
        const near = Math.min(...labels.map(({ x }) => Math.abs(x - at)));
        assert.equal(Math.abs(labels[a].x - at), near, "a label over the dot of another");
      }
      assert.ok(at >= half - 1e-9 && at <= width - half + 1e-9);
      const fits = rule === null || Math.max(rule, width - rule) >= 2 * half + 8;
      if (rule !== null && fits && a >= 2) assert.ok(Math.abs(at - rule) >= half);
      placed.slice(0, a).forEach((other, b) => {
        if (other.row !== row) return;
        assert.ok(Math.abs(other.at - at) >= half + labels[b].half - 1e-9, "two labels touch");
      });
    });
  }
});
