import assert from "node:assert/strict";
import { leavesOutZero } from "../../../assets/report/charts.js";

Deno.test("an interval that is printed as beginning or ending with 0 holds it", () => {
  for (const [low, high] of [[0, 2], [-1, 0], [2e-16, 8], [-3, -4e-3], [null, null]]) {
    assert.equal(leavesOutZero({ low, high }), false, `${low} to ${high}`);
  }
  for (const [low, high] of [[0.01, 2], [-3, -0.01]]) assert.ok(leavesOutZero({ low, high }));
});
