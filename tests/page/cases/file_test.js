// A file of predictions: what is used of it, and every way in which one can be wrong.

import assert from "node:assert/strict";
import {
  kindsOf,
  linkOf,
  matching,
  MOST_BYTES,
  MOST_LINES,
  parseCases,
  parseRun,
  readFiles,
  WrongFile,
} from "../../../assets/page/cases/file.js";

const row = (more = {}) => ({
  id: "a1",
  question: "Who?",
  context: "🙂 Ada met Grace.",
  gold: [{ text: "Ada", char_start: 2 }, { text: "Ada", char_start: 2 }, {
    text: "x",
    char_start: -1,
  }],
  kind: "border",
  because: "",
  answer: "Ada met",
  exact: 0,
  f1: 0.5,
  n_best: [{ text: "Ada met", window: 0, start: 1, end: 2 }],
  ...more,
});
const lines = (...rows) => rows.map((one) => JSON.stringify(one)).join("\n");
const run = {
  file: "dev.json",
  reader: "bundled",
  weights: "abcdef0123",
  threshold: null,
  options: {
    max_seq_length: 384,
    doc_stride: 128,
    max_query_length: 64,
    max_answer_length: 30,
    n_best_size: 20,
  },
};
const file = (name, text) => Object.assign(new Blob([text]), { name });

Deno.test("a line becomes a case, and its link opens it where the cause is shown", () => {
  const [one] = parseCases(lines(row()), "p.jsonl");
  assert.deepEqual(one.gold, ["Ada", "x"]);
  assert.deepEqual(one.best, { text: "Ada met", span: [0, 1, 2] });
  const chapters = new Map([["border", "start_end"]]);
  const found = new URLSearchParams(linkOf(one, parseRun(JSON.stringify(run)), chapters).slice(1));
  assert.deepEqual(Object.fromEntries(found), {
    v: "1",
    q: "Who?",
    p: "🙂 Ada met Grace.",
    windows: "384_128_64",
    decode: "30_20",
    chapter: "start_end",
    span: "0_1_2",
    gold: "2-5_2-5",
  });
  const merged = { copies: "all", scale: "logit", null: "min_logit", top_n_grid: true };
  for (
    const [rules, threshold, decode, merge] of [
      ["1.1", null, "30_20_0_1", "all~logit~none"],
      ["2.0", 4.5, "30_20_4.5_1", "all~logit~min_logit"],
    ]
  ) {
    const made = { ...run, rules, threshold, options: { ...run.options, ...merged } };
    const link = linkOf(one, parseRun(JSON.stringify(made)), chapters);
    const said = new URLSearchParams(link.slice(1));
    assert.deepEqual([said.get("decode"), said.get("merge")], [decode, merge]);
  }
  const bare = new URLSearchParams(linkOf({ ...one, because: "window" }, null, chapters).slice(1));
  assert.equal(bare.get("chapter"), "windows");
  assert.equal(bare.get("windows"), null);
});

Deno.test("characters are counted as Python counts them", () => {
  const gold = [{ text: "🙂 Ada", char_start: 0 }];
  assert.deepEqual(parseCases(lines(row({ gold })), "p")[0].ranges, [[0, 5]]);
});

Deno.test("half a pair of surrogates does not break a link", () => {
  const [one] = parseCases(lines(row({ question: "\ud800" })), "p");
  assert.match(linkOf(one, null, new Map()), /q=%EF%BF%BD/);
});

Deno.test("what is no prediction is named with its line", () => {
  const wrong = [
    ["not json", /p\.jsonl, line 1 is not JSON/],
    ["[1]", /line 1 is no prediction/],
    ['{"id": "a"}', /line 1 is no prediction/],
    [lines(row(), row({ question: { toString: 1 } })), /line 2 is no prediction/],
    [lines(row({ answer: 3 })), /line 1 is no prediction/],
    [lines(row({ n_best: [{ text: 1 }] })), /line 1 is no prediction/],
    [lines(row({ gold: [{ text: "Ada" }] })), /line 1 is no prediction/],
    [lines(row({ f1: "much" })), /line 1 is no prediction/],
    ["\n \n", /holds no question/],
    ["", /holds no question/],
  ];
  for (const [text, said] of wrong) {
    assert.throws(() => parseCases(/** @type {string} */ (text), "p.jsonl"), (error) => {
      assert.ok(error instanceof WrongFile);
      assert.match(error.message, /** @type {RegExp} */ (said));
      return true;
    });
  }
  assert.equal(parseCases(`\n${lines(row())}\n\n`, "p").length, 1);
});

Deno.test("places that are none are left out", () => {
  const odd = [{ text: "Ada", window: -1, start: 1e99, end: "2" }];
  const [one] = parseCases(lines(row({ n_best: odd, because: 7, gold: undefined })), "p");
  assert.deepEqual([one.best?.span, one.because, one.gold], [null, "", []]);
});

Deno.test("a file is bounded in size, in lines, and is text", async () => {
  const large = Object.assign(new Blob([]), { name: "large.jsonl" });
  Object.defineProperty(large, "size", { value: MOST_BYTES + 1 });
  await assert.rejects(readFiles([large]), /large\.jsonl has 100 MB, 100 are allowed/);
  const bytes = Object.assign(new Blob([new Uint8Array([255, 254, 0])]), { name: "x.jsonl" });
  await assert.rejects(readFiles([bytes]), /x\.jsonl is not UTF-8/);
  const short = JSON.stringify(row({ context: "", gold: [], n_best: [] }));
  assert.throws(() => parseCases(`${short}\n`.repeat(MOST_LINES + 1), "p"), /more than 100,000/);
});

Deno.test("the run file may come with the lines, in any order", async () => {
  const parts = [file("p.run.json", JSON.stringify(run)), file("p.jsonl", lines(row()))];
  for (const files of [parts, parts.toReversed()]) {
    const found = await readFiles(files);
    assert.deepEqual([found.name, found.cases.length], ["p.jsonl", 1]);
    assert.equal(found.run?.reader, "bundled");
  }
  assert.equal((await readFiles(parts.slice(1))).run, null);
  await assert.rejects(readFiles(parts.slice(0, 1)), /the file of predictions too/);
  await assert.rejects(readFiles([parts[1], parts[1]]), /one file of predictions/);
  for (const text of ["", "{}", "[]", '{"reader": 1, "weights": "a", "options": {}}']) {
    assert.equal(parseRun(text), null);
  }
  assert.equal(
    parseRun('{"reader":"a","weights":"b","options":{"doc_stride":"x"}}')?.windows,
    null,
  );
});

Deno.test("kinds are counted in the report's order, names of an object's own are kinds too", () => {
  const kinds = ["right", "glued", "border", "__proto__", "border"];
  const cases = parseCases(lines(...kinds.map((kind) => row({ kind }))), "p");
  assert.deepEqual(kindsOf(cases, ["right", "border", "withheld", "glued"]), [
    ["border", 2],
    ["glued", 1],
    ["__proto__", 1],
  ]);
  assert.deepEqual(matching(cases, "wrong", ""), [1, 2, 3, 4]);
  assert.deepEqual(matching(cases, "border", ""), [2, 4]);
  assert.deepEqual(matching(cases, "all", "WHO"), [0, 1, 2, 3, 4]);
  assert.deepEqual(matching(cases, "wrong", "nobody"), []);
});
