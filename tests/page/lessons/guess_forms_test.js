import assert from "node:assert/strict";
import { typedNumber } from "../../../assets/page/lessons/guess_forms.js";

Deno.test("a number is read as people write it", () => {
  /** @type {[string, number][]} */
  const read = [["0.5", 0.5], ["0,5", 0.5], [" \u22121.2 ", -1.2], ["2/3", 2 / 3], [
    "-1 / 4",
    -0.25,
  ]];
  for (const [text, value] of read) assert.equal(typedNumber(text), value, text);
  assert.equal(typedNumber("\u00bd"), 0.5);
});

Deno.test("what is no number is none", () => {
  for (const text of ["", " ", "a", "1/", "/2", "1/2/3", "1e", "--1"]) {
    assert.ok(Number.isNaN(typedNumber(text)), text);
  }
  assert.ok(!Number.isFinite(typedNumber("1/0")));
});
