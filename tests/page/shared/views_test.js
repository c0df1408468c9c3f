// A view lives as long as its part stands in the root.

import assert from "node:assert/strict";
import { keptViews } from "../../../assets/page/shared/views.js";

/** A root that holds the parts of a set. */
const rootOf = (parts) => /** @type {any} */ ({ contains: (part) => parts.has(part) });

Deno.test("a root keeps its view while the view's part stands in it", () => {
  const parts = new Set();
  const root = rootOf(parts);
  const views = keptViews((view) => view.stage);
  let made = 0;
  const make = () => {
    made += 1;
    const stage = { made };
    parts.add(stage);
    return { stage };
  };
  assert.equal(views.known(root), undefined);
  const first = views.of(root, make);
  assert.equal(views.of(root, make), first);
  assert.equal(views.known(root), first);
  parts.clear();
  const second = views.of(root, make);
  assert.notEqual(second, first);
  assert.equal(views.known(root), second);
  assert.equal(made, 2);
});

Deno.test("each root has a view of its own", () => {
  const stage = /** @type {any} */ ({});
  const views = keptViews(() => stage);
  const [a, b] = [rootOf(new Set([stage])), rootOf(new Set([stage]))];
  const view = views.of(a, () => ({}));
  assert.notEqual(views.of(b, () => ({})), view);
});
