// The menu's groups: by kind, in the order in which the kinds come; failures under names of their own.

import assert from "node:assert/strict";
import { groups } from "../../../assets/page/shared/examples.js";

const one = (id, kind, /** @type {string | null} */ view = null) => ({
  id,
  title: id,
  kind,
  reason: "r",
  view,
});

Deno.test("kinds keep their order and failures stand apart", () => {
  const list = [one("a", "x"), one("b", "y"), one("c", "x"), one("d", "x", "spans")];
  assert.deepEqual(groups(list).map(([name, all]) => [name, all.map(({ id }) => id)]), [
    ["x", ["a", "c"]],
    ["y", ["b"]],
    ["fails: x", ["d"]],
  ]);
  assert.deepEqual(groups([]), []);
});
