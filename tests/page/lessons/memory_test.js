import assert from "node:assert/strict";
import { parse } from "../../../assets/page/lessons/memory.js";

const EMPTY = { at: null, done: [], declined: false, places: {}, guesses: {}, quiz: null };

Deno.test("what is stored is read back", () => {
  const kept = {
    at: { lesson: "span", step: 2 },
    done: ["span"],
    declined: true,
    places: { span: 2 },
    guesses: { "span 0": [3, 4], "span 1": null },
    quiz: { form: "B", points: 4 },
  };
  assert.deepEqual(parse(JSON.stringify(kept)), kept);
});

Deno.test("what another program left there counts as nothing", () => {
  for (const text of [null, "", "{", "3", "[]", '{"at": 3}', '{"at": {"lesson": 1, "step": 0}}']) {
    assert.deepEqual(parse(text), EMPTY);
  }
  assert.deepEqual(parse('{"at": {"lesson": "a", "step": -1}, "done": [1, "b"]}'), {
    ...EMPTY,
    done: ["b"],
  });
  assert.deepEqual(parse('{"places": {"a": -1, "b": "1", "c": 2}, "guesses": [1]}'), {
    ...EMPTY,
    places: { c: 2 },
  });
});
