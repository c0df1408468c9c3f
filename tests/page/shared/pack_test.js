import assert from "node:assert/strict";
import { floats, ints, softmax, unzipped } from "../../../assets/page/shared/pack.js";
import { rng } from "../random.js";
import vectors from "../vectors.json" with { type: "json" };

Deno.test("two float32 numbers by hand", () => {
  assert.deepEqual([...floats("AADAPwAAAMA=")], [1.5, -2]);
  assert.deepEqual([...ints("AwAAAP////8=")], [3, -1]);
});

Deno.test("what Python packs comes out as it went in", () => {
  for (const { packed, values } of vectors.floats) assert.deepEqual([...floats(packed)], values);
  for (const { packed, values } of vectors.ints) assert.deepEqual([...ints(packed)], values);
});

Deno.test("softmax by hand", () => {
  assert.deepEqual([...softmax([0, 0])], [0.5, 0.5]);
  const [p, q] = softmax([Math.log(3), 0]);
  assert.ok(Math.abs(p - 0.75) < 1e-15 && Math.abs(q - 0.25) < 1e-15);
});

Deno.test("softmax agrees with Python, at temperature 1 and 2.5", () => {
  for (const { logits, p, warm } of vectors.heads) {
    softmax(logits).forEach((x, k) => assert.ok(Math.abs(x - p[k]) < 1e-12));
    softmax(logits, 2.5).forEach((x, k) => assert.ok(Math.abs(x - warm[k]) < 1e-12));
  }
});

Deno.test("softmax sums to 1, keeps the order and ignores a constant, at any size of logits", () => {
  const random = rng(1);
  for (let round = 0; round < 200; round += 1) {
    const size = 10 ** (random() * 7 - 1);
    const logits = Array.from(
      { length: 1 + Math.floor(random() * 60) },
      () => (random() - 0.5) * size,
    );
    const p = softmax(logits);
    assert.ok(Math.abs(p.reduce((a, b) => a + b, 0) - 1) < 1e-9);
    const top = logits.indexOf(Math.max(...logits));
    assert.ok(p.every((x) => x >= 0 && x <= p[top]));
    const moved = softmax(logits.map((x) => x + 7));
    moved.forEach((x, k) => assert.ok(Math.abs(x - p[k]) < 1e-6));
  }
});

Deno.test("what Python compressed is opened", async () => {
  // base64.b64encode(gzip.compress("[1, \"é\"]".encode(), mtime=0))
  assert.deepEqual(await unzipped("H4sIAAAAAAACA4s21FFQOrxSKRYAMv7g6wkAAAA=").json(), [1, "é"]);
});
