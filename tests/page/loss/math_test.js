import assert from "node:assert/strict";
import { aloneSays, head, logZ, target } from "../../../assets/page/loss/math.js";
import { joiner } from "../../../assets/page/shared/pack.js";
import { rng } from "../random.js";
import vectors from "../vectors.json" with { type: "json" };

/** @param {number} a @param {number} b */
const near = (a, b) =>
  assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)), `${a} is not ${b}`);

Deno.test("a uniform window of four costs log 4", () => {
  const found = head([0, 0, 0, 0], [[2, 1]]);
  near(found.z, Math.log(4));
  near(found.loss, Math.log(4));
  assert.deepEqual([...found.y], [0, 0, 1, 0]);
  assert.equal(head([0, 0, 0, 0], [[2, 1]], true).loss, 0);
});

Deno.test("log Z and the loss agree with Python", () => {
  for (const { logits, labels, log_z, loss } of vectors.heads) {
    near(logZ(logits), log_z);
    near(head(logits, labels).loss, loss);
  }
});

Deno.test("the loss is the mean of -log p over the labels, and its gradient p - y sums to 0", () => {
  const random = rng(5);
  for (let round = 0; round < 200; round += 1) {
    const logits = Array.from({ length: 2 + Math.floor(random() * 30) }, () => random() * 12 - 6);
    const share = random();
    const labels = [[0, share], [logits.length - 1, 1 - share]];
    const found = head(logits, labels);
    near(found.loss, -share * Math.log(found.p[0]) - (1 - share) * Math.log(found.p.at(-1) ?? 0));
    near(found.p.reduce((sum, p, k) => sum + p - found.y[k], 0), 0);
  }
});

Deno.test("a softmax over the label alone leaves the shares among several labels to learn", () => {
  assert.match(aloneSays(1, 1), /always 1, so nothing is left/);
  assert.match(aloneSays(1, 2), /among the 2 labelled ends are left/);
  assert.match(aloneSays(3, 2), /the 3 labelled starts and among the 2 labelled ends/);
  const logits = [0.3, -1.2, 2.5, 0.1];
  const sparse = [[0, 0.5], [2, 0.5]];
  for (const pos of [0, 1]) { // a labelled position still counts, any other does not
    const moved = logits.map((x, k) => (k === pos ? x + 1 : x));
    const change = head(moved, sparse, true).loss - head(logits, sparse, true).loss;
    assert.equal(Math.abs(change) > 1e-6, pos === 0);
  }
  assert.equal(head(logits, [[2, 1]], true).loss, 0);
});

Deno.test("targets are dense", () => {
  assert.deepEqual([...target([[1, 0.25], [3, 0.75]], 4)], [0, 0.25, 0, 0.75]);
});

Deno.test("bits of joined pieces are read from the left", () => {
  const joins = joiner(btoa(String.fromCharCode(0b01000001, 0b10000000)));
  const read = Array.from({ length: 10 }, (_, d) => Number(joins(d)));
  assert.equal(read.join(""), "0100000110");
});
