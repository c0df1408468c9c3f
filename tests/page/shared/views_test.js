// A view lives as long as its stage stands in the root.

import assert from "node:assert/strict";
import { kept } from "../../../assets/page/shared/views.js";

/** A chapter whose stages are numbered, and what it did. */
function chapter() {
  const stages = new Set(), did = [];
  const make = () => {
    const stage = { number: stages.size };
    stages.add(stage);
    return { stage };
  };
  const told = (what) => ({ stage, page }) => did.push(`${what} ${stage.number} ${page}`);
  return { ...kept({ make, paint: told("paint"), select: told("select") }), stages, did };
}

Deno.test("a root keeps its view while the view's stage stands in it", () => {
  const { draw, select, stages, did } = chapter();
  const root = { contains: (stage) => stages.has(stage) };
  draw(root, null, "a");
  select(root, null, "b");
  stages.clear();
  select(root, null, "c");
  assert.deepEqual(did, ["paint 0 a", "select 0 b", "paint 0 c"]);
});

Deno.test("each root has a view of its own", () => {
  const { draw, did } = chapter();
  [1, 2].forEach((page) => draw({ contains: () => true }, null, page));
  assert.deepEqual(did, ["paint 0 1", "paint 1 2"]);
});
