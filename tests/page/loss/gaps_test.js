import assert from "node:assert/strict";
import { floor, fullDomain, gapRows, rowsFor, share } from "../../../assets/page/loss/gaps.js";
import { head, logZ } from "../../../assets/page/loss/math.js";
import { rng } from "../random.js";

const number = (/** @type {string} */ text) => Number(text.replace("−", "-"));

/** Labels of `count` annotators at random positions. @param {() => number} random */
function labels(random, /** @type {number} */ n, /** @type {number} */ count) {
  /** @type {Map<number, number>} */
  const votes = new Map();
  for (let k = 0; k < count; k += 1) {
    const pos = Math.floor(random() * n);
    votes.set(pos, (votes.get(pos) ?? 0) + 1);
  }
  return [...votes].map(([pos, found]) => [pos, found / count]);
}

Deno.test("one label has one row, its gap to log Z", () => {
  const logits = [1, 3, 2];
  assert.deepEqual(gapRows(logits, logZ(logits), [[2, 1]], false), [
    { pos: 2, text: "p 0.245, −log p = 1.41" },
  ]);
  assert.deepEqual(gapRows(logits, logZ(logits), [[2, 1]], true), [{ pos: 2, text: "1.41" }]);
});

Deno.test("every label counts: the printed shares add up to the printed sum, which is the loss", () => {
  const random = rng(9);
  for (let round = 0; round < 300; round += 1) {
    const logits = Array.from({ length: 30 }, () => random() * 12 - 6);
    const sparse = labels(random, 30, 2 + Math.floor(random() * 9));
    if (sparse.length < 2) continue;
    const found = head(logits, sparse);
    const rows = gapRows(logits, found.z, sparse, false);
    assert.equal(rows.length, rowsFor(sparse));
    const total = number(rows.at(-1)?.text.slice(4) ?? "");
    for (const { text } of rows.filter(({ pos }) => pos !== null)) {
      const [weight, gap, cost] = text.split(/ [·=≈] /);
      const [over, under] = [...weight.split("/"), "1"].map(Number);
      const off = Math.abs((over / under) * number(gap) - number(cost));
      const unit = 10 ** -cost.split(".")[1].length;
      assert.ok(off <= 1.01 * unit, text);
      const tie = Math.abs(off - unit / 2) < 1e-9;
      if (!tie) assert.equal(text.includes("="), off < unit / 2, text);
    }
    const parts = rows.slice(0, -1).map(({ text }) => number(text.split(/[=≈:] /)[1]));
    assert.ok(Math.abs(parts.reduce((a, b) => a + b, 0) - total) < 2e-4);
    assert.ok(Math.abs(total - found.loss) < 6e-3);
    const named = rows.filter(({ pos }) => pos !== null).length;
    const more = rows.find(({ text }) => text.includes(" more: "));
    assert.equal(named + (more ? Number(more.text.split(" ")[0]) : 0), sparse.length);
  }
});

Deno.test("the axis holds every label, log Z and the five highest logits", () => {
  const random = rng(10);
  for (let round = 0; round < 200; round += 1) {
    const logits = Array.from({ length: 2 + Math.floor(random() * 40) }, () => random() * 30 - 15);
    const at = [Math.floor(random() * logits.length)];
    const [low, high] = fullDomain(logits, at);
    assert.ok(low < logits[at[0]] && logZ(logits) < high);
    assert.ok([...logits].sort((a, b) => b - a).slice(0, 5).every((x) => low < x && x < high));
  }
});

Deno.test("no logits cost less than the floor, and it is reached where they say what the labels say", () => {
  const random = rng(11);
  for (let round = 0; round < 200; round += 1) {
    const sparse = labels(random, 6, 4);
    const logits = Array.from({ length: 6 }, () => random() * 12 - 6);
    assert.ok(head(logits, sparse).loss >= floor(sparse) - 1e-9);
    const told = logits.map((_, k) =>
      Math.log(new Map(sparse.map(([p, s]) => [p, s])).get(k) ?? 1e-12)
    );
    assert.ok(Math.abs(head(told, sparse).loss - floor(sparse)) < 1e-6);
  }
  assert.equal(floor([[3, 1]]), 0);
});

Deno.test("shares are fractions of the annotators", () => {
  assert.deepEqual([1, 2 / 3, 1 / 2, 3 / 7].map(share), ["1", "2/3", "1/2", "3/7"]);
  assert.equal(share(29 / 31), "0.94");
});
