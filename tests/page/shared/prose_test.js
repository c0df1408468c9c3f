import assert from "node:assert/strict";
import { clipped, graphemes, words } from "../../../assets/page/shared/prose.js";
import { rng } from "../random.js";

Deno.test("a highlight never cuts an accent or a joined emoji", () => {
  const text = "ne\u0301e \u{1f469}\u200d\u{1f52c}!"; // e and a combining accent; a woman scientist
  assert.deepEqual(graphemes(text, 2, 3), [1, 3]);
  assert.deepEqual(graphemes(text, 7, 8), [5, 10]);
  assert.deepEqual(graphemes(text, 0, 1), [0, 1]);
  assert.deepEqual(graphemes(text, 4, 4), [4, 4]);
});

Deno.test("widened ranges hold the range, lie on borders and stay when widened again", () => {
  const signs = [
    "a",
    "e\u0301",
    "\u{1f1e9}\u{1f1ea}",
    "\u{1f469}\u200d\u{1f52c}",
    " ",
    "\u0928\u093f",
  ];
  const random = rng(6);
  for (let round = 0; round < 300; round += 1) {
    const text = Array.from({ length: 8 }, () => signs[Math.floor(random() * signs.length)]).join(
      "",
    );
    const start = Math.floor(random() * (text.length - 1));
    const end = start + 1 + Math.floor(random() * (text.length - start - 1));
    const [a, b] = graphemes(text, start, end);
    assert.ok(a <= start && b >= end);
    assert.deepEqual(graphemes(text, a, b), [a, b]);
    const borders = [...new Intl.Segmenter().segment(text)].map((s) => s.index);
    assert.ok(borders.includes(a) && (b === text.length || borders.includes(b)));
  }
});

Deno.test("pieces with the same word number form one word", () => {
  const tokens = [
    { word: 0, start: 0, end: 3 },
    { word: 1, start: 4, end: 8 },
    { word: 1, start: 8, end: 11 },
    { word: 2, start: 12, end: 13 },
  ];
  assert.deepEqual(words({ tokens }), [
    { word: 0, first: 0, last: 0, start: 0, end: 3 },
    { word: 1, first: 1, last: 2, start: 4, end: 11 },
    { word: 2, first: 3, last: 3, start: 12, end: 13 },
  ]);
});

Deno.test("words hold every token once, in order", () => {
  const random = rng(7);
  for (let round = 0; round < 200; round += 1) {
    let [word, at] = [0, 0];
    const tokens = Array.from({ length: 1 + Math.floor(random() * 40) }, () => {
      if (random() < 0.6) [word, at] = [word + 1, at + 1];
      const start = at;
      at += 1 + Math.floor(random() * 4);
      return { word, start, end: at };
    });
    const found = words({ tokens });
    assert.deepEqual(
      found.flatMap((w) => Array.from({ length: w.last - w.first + 1 }, (_, k) => w.first + k)),
      [...tokens.keys()],
    );
    assert.equal(new Set(tokens.map((t) => t.word)).size, found.length);
    found.forEach((w) =>
      assert.ok(w.start === tokens[w.first].start && w.end === tokens[w.last].end)
    );
  }
});

Deno.test("a long text is cut by characters, not by halves of them", () => {
  assert.equal(clipped("four", 4), "four");
  assert.equal(clipped("five of it", 6), "five…");
  assert.equal(clipped("\u{1f600}\u{1f600}\u{1f600}", 2), "\u{1f600}…");
  assert.equal(clipped("two", 0), "t…");
  for (const most of [11, 12, 13]) assert.equal(clipped("the town … in it", most), "the town…");
});
