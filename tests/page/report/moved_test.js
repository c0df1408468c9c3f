import assert from "node:assert/strict";
import { page } from "../fake_dom.js";
import { inSight, listed, perWord, wordsOf } from "../../../assets/page/shared/mirrored.js";
import { cut, moved } from "../../../assets/page/shared/moved.js";

page();
const TEXT = "😀 Ada wrote it, then Bob did.";
const reading = (name, n, more = {}) => ({
  name,
  n,
  start: n.map(([a], k) => /** @type {[number, number]} */ ([a, k ? 0.1 : 0.8])),
  end: [],
  null: [0.1, 0.1],
  score_diff: -2,
  limit: 1,
  windows: 1,
  answer: "x",
  rests: [],
  ...more,
});
const ADA = [2, 5, 7.5, 0];
const BOB = [21, 24, 4.25, 1];

Deno.test("words stand where Python counts them, and hold the chances that begin in them", () => {
  const words = wordsOf(TEXT);
  assert.deepEqual(words.slice(0, 2), [{ text: "😀", start: 0, end: 1 }, {
    text: "Ada",
    start: 2,
    end: 5,
  }]);
  assert.equal(cut(TEXT, BOB), "Bob");
  const sums = perWord(words, [[2, 0.25], [4, 0.5], [14, 0.125]]);
  assert.deepEqual(sums, [0, 0.75, 0, 0.125, 0, 0, 0]);
});

Deno.test("a long text shows what stands near a mark, a short one all", () => {
  const long = Array.from({ length: 200 }, (_, k) => k === 100);
  const shown = inSight(long);
  assert.deepEqual([shown[0], shown[1], shown.at(-2), shown.at(-1)], [null, 70, 130, null]);
  assert.deepEqual(inSight([false, true, false]), [0, 1, 2]);
});

Deno.test("where no word is likely, a sentence stands for the empty table", () => {
  const said = (p) => listed(wordsOf("Ada wrote"), [[[p, 0], [0, 0]]], ["A"]).textContent;
  assert.match(said(0.049), /^No word of the text has a chance of 0\.05 or more/);
  assert.match(said(0.05), /^Words with a chance .*Ada0\.05< 0\.01$/);
});

Deno.test("one span first in both: only what withholds it is told", () => {
  assert.deepEqual(moved(TEXT, reading("A", [ADA]), reading("B", [ADA])), [
    "Both put “Ada” first.",
  ]);
  const silent = reading("B", [ADA], { answer: null, score_diff: 3 });
  assert.deepEqual(moved(TEXT, reading("A", [ADA]), silent), [
    "Both put “Ada” first.",
    "A answers: no answer leads by −2.00, not above its limit 1.00.",
    "B withholds its best span: no answer leads by 3.00, above its limit 1.00.",
  ]);
});

Deno.test("two best spans are looked up in each other's list, windows and starts compared", () => {
  const a = reading("A", [ADA, BOB], { windows: 2 });
  const said = moved(TEXT, a, reading("B", [BOB], { windows: 2 }));
  assert.deepEqual(said, [
    "B does not list “Ada”, the best span of A.",
    "A has “Bob”, the best span of B, in place 2, 3.25 below its own.",
    "The chosen window moved from 1 to 2.",
    "The start moved most at “Ada”: 0.80 by A, < 0.01 by B.",
  ]);
  assert.deepEqual(moved(TEXT, a, reading("B", [])), ["Only A lists a span."]);
});
