// The sentence that a chapter opens with, and where what it quotes stands.

import assert from "node:assert/strict";
import { findingOf, MOST_WORDS, placeOf } from "../../../assets/page/shared/finding.js";

const quote = (/** @type {string} */ text) => `“\u2068${text}\u2069”`;

/** Tokens of a text, one for each word. */
function reading(/** @type {string} */ context) {
  const tokens = [...context.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
  }));
  return { context, tokens };
}

Deno.test("as many whole sentences as thirty words hold are the finding", () => {
  const [a, b, c] = ["It leads by 3.5.", "The end is sharp.", `${"More ".repeat(24)}words.`];
  const long = `Of ${"very ".repeat(MOST_WORDS)}many words.`;
  assert.deepEqual(findingOf(`${a} ${b} ${c}`), [`${a} ${b}`, c]);
  assert.deepEqual(findingOf(`${a} ${b}`), [`${a} ${b}`, ""]);
  assert.deepEqual(findingOf(`${long} ${a}`), [long, a]);
  assert.deepEqual(findingOf(""), ["", ""]);
});

Deno.test("a full stop inside a quotation or a number ends nothing", () => {
  const said = `On SQuAD 2.0 ${quote("the U.S. Open. It")} leads.`;
  const rest = `${"Word ".repeat(25)}end.`;
  assert.deepEqual(findingOf(`${said} ${rest}`), [said, rest]);
});

Deno.test("a quotation is found where it stands once, and nowhere else", () => {
  const text = reading("The tower of the bridge was drawn by Georg Rotne in Malmö near the sea");
  assert.deepEqual(placeOf("Georg", text), { start: 8, end: 8 });
  assert.deepEqual(placeOf("drawn by Georg Rotne", text), { start: 6, end: 9 });
  assert.equal(placeOf("the", text), null, "two tokens are called so");
  assert.equal(placeOf("Copenhagen", text), null);
  assert.equal(placeOf("", text), null);
  assert.deepEqual(placeOf("tower of … Malmö near", text), { start: 1, end: 12 });
  assert.equal(placeOf("tower of … Lund", text), null);
  assert.equal(placeOf("tower of … the", text), null, "two ends are called so");
  assert.deepEqual(placeOf("tower of … the", text, { start: 1, end: 3 }), { start: 1, end: 3 });
  assert.deepEqual(placeOf("tower of … the", text, { start: 1, end: 12 }), null);
});
