import assert from "node:assert/strict";
import { apart } from "../../../assets/page/shared/labels.js";
import { rng } from "../random.js";

Deno.test("spans that share words are told apart by where they differ", () => {
  const [one, two, three] = apart([
    "Georg Rotne",
    "Georg Rotne. Pylons of that height are drawn at Peberholm",
    "Georg Rotne. Pylons of that height",
  ], 16);
  assert.equal(one, "Georg Rotne");
  assert.equal(two, "Georg…Peberholm");
  assert.equal(three, "Georg…height");
});

Deno.test("a name is cut between words where half of its room can be filled so", () => {
  assert.deepEqual(apart(["Öresund Bridge between by Georg Rotne", "architect Georg Rotne"], 20), [
    "Öresund Bridge…Rotne",
    "architect…Rotne",
  ]);
});

Deno.test("equal texts have one name, and letters of several code points are not cut", () => {
  assert.deepEqual(
    apart(["same words", "same words"], 6),
    apart(["same words"], 6).concat(
      apart(["same words"], 6),
    ),
  );
  const family = "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}";
  const [name] = apart([family.repeat(9)], 6);
  assert.equal(name, `${family.repeat(3)}…${family.repeat(2)}`);
});

Deno.test("no two different texts share a name, and none is too long", () => {
  const next = rng(11);
  const words = ["Anna", "of", "Kalmar", "the", "old", "mill", "e\u0301te\u0301"];
  for (let round = 0; round < 300; round += 1) {
    const text = Array.from({ length: 14 }, () => words[Math.floor(next() * words.length)]);
    const spans = Array.from({ length: 25 }, () => {
      const start = Math.floor(next() * text.length);
      return text.slice(start, start + 1 + Math.floor(next() * (text.length - start))).join(" ");
    });
    const most = 6 + Math.floor(next() * 24);
    const names = apart(spans, most);
    for (let a = 0; a < spans.length; a += 1) {
      assert.ok([...new Intl.Segmenter().segment(names[a])].length <= most, names[a]);
      for (let b = 0; b < a; b += 1) {
        assert.equal(names[a] === names[b], spans[a] === spans[b], `${spans[a]} | ${spans[b]}`);
      }
    }
  }
});
