import assert from "node:assert/strict";
import { parse } from "../../../assets/page/lessons/memory.js";

const EMPTY = { at: null, done: [], declined: false };

Deno.test("what is stored is read back", () => {
  const kept = { at: { lesson: "span", step: 2 }, done: ["span"], declined: true };
  assert.deepEqual(parse(JSON.stringify(kept)), kept);
});

Deno.test("what another program left there counts as nothing", () => {
  for (const text of [null, "", "{", "3", "[]", '{"at": 3}', '{"at": {"lesson": 1, "step": 0}}']) {
    assert.deepEqual(parse(text), EMPTY);
  }
  assert.deepEqual(parse('{"at": {"lesson": "a", "step": -1}, "done": [1, "b"]}'), {
    at: null,
    done: ["b"],
    declined: false,
  });
});
