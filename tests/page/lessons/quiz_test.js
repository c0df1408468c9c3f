import assert from "node:assert/strict";
import { fnv1a, pairingMark } from "../../../assets/page/lessons/quiz.js";

Deno.test("the hash is the published one", () => {
  // the authors' test vectors for 64 bits
  assert.equal(fnv1a(""), "cbf29ce484222325");
  assert.equal(fnv1a("a"), "af63dc4c8601ec8c");
  assert.equal(fnv1a("foobar"), "85944171f73967e8");
});

Deno.test("a mark belongs to one room, whatever the case of the code", () => {
  assert.notEqual(pairingMark("tiger", "BCDFG"), pairingMark("tiger", "HJKMN"));
  assert.equal(pairingMark(" TIGER ", "BCDFG"), pairingMark("tiger", "BCDFG"));
  assert.equal(pairingMark("  ", "BCDFG"), "");
});
