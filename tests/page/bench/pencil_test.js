import assert from "node:assert/strict";
import { check } from "../../../assets/page/bench/pencil.js";
import vectors from "../vectors.json" with { type: "json" };

Deno.test("of right numbers, wrong ones and slips the pencil says what Python says", () => {
  for (const { cells, typed } of vectors.pencils) {
    const byName = new Map(cells.map((cell) => [cell.name, cell]));
    for (const [name, text, right, slip] of /** @type {any[]} */ (typed)) {
      const wanted = right ? { state: "right" } : { state: "wrong", slip };
      assert.deepEqual(check(byName.get(name), text), wanted, `${name}: ${text}`);
    }
    assert.equal(new Set(typed.map(([, , right]) => right)).size, 2);
  }
});
