import assert from "node:assert/strict";
import { MOST_WORDS, sheet } from "../../../assets/page/worksheet/sheet.js";
import { opened } from "../../../assets/page/shared/window.js";
import { rng } from "../random.js";

/** A reading of so many one-letter words in one window, with these logits behind [CLS] q [SEP]. */
function reading(start, end) {
  const n = start.length - 3;
  const letters = Array.from({ length: n }, (_, k) => String.fromCharCode(97 + (k % 26)));
  const tokens = letters.map((_, k) => ({ start: 2 * k, end: 2 * k + 1, word: k }));
  const window = opened({
    start,
    end,
    clsAt: 0,
    contextAt: 3,
    docStart: 0,
    docStop: n,
    tokens: ["[CLS]", "q", "[SEP]", ...letters],
  });
  return { question: "q", context: letters.join(" "), reader: "r", tokens, windows: [window] };
}

Deno.test("the table adds the printed logits, and its best pair is the reader's", () => {
  const data = reading([1, 0, 0, 1, 2, 6], [-3, 0, 0, 5, 2, 1]);
  const { pairs, names, words, part } = sheet(data, { window: 0, start: 2, end: 2 });
  assert.deepEqual(names, ["a", "b", "c"]);
  const cells = pairs.cells.map((row) => row.join(" "));
  assert.deepEqual(cells, ["6.0 3.0 2.0", " 4.0 3.0", "  7.0"]);
  assert.deepEqual(pairs.best, [2, 2]);
  assert.deepEqual([pairs.score, pairs.null, pairs.diff], ["7.0", "\u22122.0", "\u22129.0"]);
  assert.deepEqual(words.map((word) => word.text), ["a", "b", "c"]);
  assert.equal(part, false);
  assert.equal(words[2].start, "96");
});

Deno.test("a near tie gets a second decimal", () => {
  const data = reading([0, 0, 0, 1.04, 1.0], [0, 0, 0, 2.0, 2.0]);
  const { pairs } = sheet(data, { window: 0, start: 0, end: 0 });
  assert.equal(pairs.starts[0], "1.04");
});

Deno.test("any reading gives at most sixty words and four pieces, the best span among them", () => {
  const random = rng(7);
  for (let turn = 0; turn < 200; turn += 1) {
    const n = 1 + Math.floor(random() * 150);
    const row = () => Array.from({ length: n + 3 }, () => 20 * random() - 10);
    const start = Math.floor(random() * n);
    const end = Math.min(n - 1, start + Math.floor(random() * 10));
    const data = reading(row(), row());
    const found = sheet(data, { window: 0, start, end });
    assert.ok(found.words.length <= MOST_WORDS && found.words.length === Math.min(n, MOST_WORDS));
    assert.ok(found.names.length <= 4 && found.names.length >= Math.min(n, start === end ? 1 : 2));
    assert.ok(found.names.includes(data.windows[0].tokens[3 + start]));
    assert.ok(found.names.includes(data.windows[0].tokens[3 + end]));
    assert.equal(found.part, n > MOST_WORDS);
    for (const row of found.pairs.cells) assert.equal(row.length, found.names.length);
  }
});
