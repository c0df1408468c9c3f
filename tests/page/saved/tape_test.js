// The tape of a saved reading: requests are found again however their fields are ordered.

import assert from "node:assert/strict";
import { canonical, patched, player } from "../../../assets/page/saved/tape.js";

// the same as in tests/views/saved/test_tape.py
const WRITTEN = /** @type {[any, string][]} */ ([
  [true, "true"],
  [3, "3"],
  [null, "null"],
  ["é \u2028 </script", '"é \u2028 </script"'],
  [[1, 0, 2], "[1,0,2]"],
  [
    { key: "x", b: { d: null, c: [1, { z: 0, a: 1 }] }, a: "é" },
    '{"a":"é","b":{"c":[1,{"a":1,"z":0}],"d":null}}',
  ],
]);

Deno.test("a value is written as Python writes it", () => {
  for (const [value, text] of WRITTEN) assert.equal(canonical(value), text);
});

Deno.test("changes go into the picture, and what was before stays as it was", () => {
  const before = { notice: "a", tables: [1], picture: { x: 1, y: 2 } };
  const after = patched(before, { notice: "b", picture: { y: 3 } });
  assert.deepEqual(after, { notice: "b", tables: [1], picture: { x: 1, y: 3 } });
  assert.deepEqual(before.picture, { x: 1, y: 2 });
  assert.deepEqual(patched(before, {}), before);
});

const TAPE = {
  reading: { stamp: 8 },
  record: { stamp: 1, start: 4, text: "a", formulas: { why: [7] }, details: { bio: { p: [1] } } },
  records: {
    "0 4 4": {},
    "0 5 6": { start: 5, text: "b c", details: { bio: { p: { shared: 1 }, q: null } } },
  },
  shared: [[2], [3]],
  pictures: {
    spans: { notice: "n", picture: {} },
    why: { notice: "n", picture: { seats: 1, reply: null } },
  },
  answers: {
    'why ask {"what":"head"}': { page: 0, formula: [1] },
    "spans window 2": { page: 2, select: "0 5 6" },
    "spans window 3": { page: 2, select: "3 5 6" },
  },
  refused: { "why ask": 1 },
  pages: [
    { picture: { reply: { key: "old", data: 7 } } },
    { picture: { reply: { key: "", error: "no" } } },
    { notice: "m" },
  ],
};

Deno.test("a tape answers what is on it, under the key of who asks, and refuses the rest", () => {
  const play = player(TAPE);
  assert.deepEqual(play.record("0 5 6"), {
    ...TAPE.record,
    start: 5,
    text: "b c",
    details: { bio: { p: [3], q: null } },
  });
  assert.deepEqual(play.record("0 4 4"), TAPE.record);
  assert.equal(play.record("1 4 4"), null);
  assert.equal(play.record("0 5 7"), null);
  const found = play.answer("why", "ask", { what: "head", key: "new" });
  assert.deepEqual(found?.page.picture, { seats: 1, reply: { key: "new", data: 7 } });
  assert.deepEqual(found?.formula, [1]);
  const none = play.answer("why", "ask", { what: "curves", key: "k" });
  assert.deepEqual(none?.page.picture.reply, { key: "k", error: "no" });
  assert.equal(play.answer("why", "choice", 1), null);
  assert.equal(play.answer("spans", "window", 2)?.page.notice, "m");
  assert.equal(play.answer("spans", "window", 3), null); // it selects what is not there
  assert.notEqual(play.picture("why"), play.picture("why")); // each one is drawn again
});

Deno.test("one chapter may have a tape of its own, drawn over the same reading", () => {
  const other = {
    reading: { stamp: 3 },
    record: { formulas: { why: [9] } },
    pictures: { why: { stamp: 3, picture: { seats: 2 } } },
    answers: { "why step 1": { page: 0 } },
    refused: {},
    pages: [{ notice: "m" }],
    records: {},
  };
  const play = player(TAPE).with("why", other);
  assert.deepEqual(play.picture("why"), { stamp: 8, picture: { seats: 2 } });
  assert.equal(play.answer("why", "step", 1)?.page.notice, "m");
  assert.equal(play.answer("why", "ask", { what: "head" }), null);
  assert.deepEqual(play.record("0 4 4"), { ...TAPE.record, formulas: { why: [9] } });
  assert.deepEqual(play.first().formulas, { why: [9] });
  assert.deepEqual(player(TAPE).first(), TAPE.record);
});
