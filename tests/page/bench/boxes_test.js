import assert from "node:assert/strict";
import { readable } from "../../../assets/page/bench/boxes.js";

Deno.test("a number of the bench by hand: signs, commas and fractions as people write them", () => {
  for (const text of ["0", " 2.5 ", "0,5", "\u22122", "-2", "2/3", "1e3", "\u22121/4"]) {
    assert.ok(readable(text, "start 0 1"), text);
  }
  for (const text of ["", "  ", "x", "9x", "1/", "/2", "1/2/3", "NaN", "Infinity", "1 2"]) {
    assert.ok(!readable(text, "start 0 1"), text);
  }
});

Deno.test("a token is one word, an annotator a token, two ends or none", () => {
  assert.ok(readable("Malmö", "token 2"));
  assert.ok(!readable("two words", "token 2") && !readable(" ", "token 2"));
  for (const text of ["", "none", "3", "1-2, 3, None", "1 \u2013 2"]) {
    assert.ok(readable(text, "golds"), text);
  }
  for (const text of ["x", "1-", "1-2-3", "1;2", "1, ", "0.5"]) {
    assert.ok(!readable(text, "golds"), text);
  }
});
