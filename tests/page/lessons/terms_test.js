import assert from "node:assert/strict";
import { firstUses, pattern } from "../../../assets/page/lessons/terms.js";

const terms = [
  { id: "null", names: ["null score", "null"], text: "", lesson: "a", number: null },
  { id: "score", names: ["score", "scores"], text: "", lesson: "a", number: null },
  { id: "cls", names: ["[CLS]"], text: "", lesson: "a", number: null },
];
const byName = new Map(terms.flatMap((t) => t.names.map((name) => [name.toLowerCase(), t])));
const uses = (text, met = new Set()) =>
  firstUses(text, pattern(terms), byName, met).map(({ term, from, to }) =>
    `${term.id}: ${text.slice(from, to)}`
  );

Deno.test("the longer name wins, and each term is marked once", () => {
  assert.deepEqual(uses("Null score, null and score at [CLS]."), [
    "null: Null score",
    "score: score",
    "cls: [CLS]",
  ]);
});

Deno.test("a part of another word is no term, and what was met is left out", () => {
  assert.deepEqual(uses("underscore nullify score_diff"), []);
  assert.deepEqual(uses("scores", new Set(["score"])), []);
});
