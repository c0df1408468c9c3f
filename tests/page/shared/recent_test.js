// The readers that a browser remembers: what another program left there counts as nothing.

import assert from "node:assert/strict";
import { parseRecent, withRecent } from "../../../assets/page/shared/recent.js";

const one = (source, about = "small") => ({ source, about });

Deno.test("anything may stand in a browser's storage", () => {
  for (const text of [null, undefined, "", "{", "3", '"a"', "{}", "[1, null, [], {}]"]) {
    assert.deepEqual(parseRecent(text), []);
  }
  const odd = [
    one(" "),
    { source: 3, about: "" },
    { source: "a" },
    one("x".repeat(201)),
    one("y", "z".repeat(301)),
    { ...one("kept"), more: 1, __proto__: null },
    one("kept", "again"),
  ];
  assert.deepEqual(parseRecent(JSON.stringify(odd)), [one("kept")]);
  const many = Array.from({ length: 20 }, (_, k) => one(String(k)));
  assert.equal(parseRecent(JSON.stringify(many)).length, 6);
});

Deno.test("the newest stands in front, each once, at most six", () => {
  let list = parseRecent(null);
  for (const name of ["a", "b", "c", "d", "e", "f", "b", "g"]) list = withRecent(list, one(name));
  assert.deepEqual(list.map(({ source }) => source), ["g", "b", "f", "e", "d", "c"]);
  assert.deepEqual(withRecent(list, one("", "x")), list);
  assert.equal(
    withRecent(list, one("b", "new")).find(({ source }) => source === "b")?.about,
    "new",
  );
});
