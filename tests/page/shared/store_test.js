import assert from "node:assert/strict";
import { arrive, hear, keep, state, textOf } from "../../../assets/page/shared/store.js";

const packed = (/** @type {Int32Array | Float32Array} */ numbers) =>
  btoa(String.fromCharCode(...new Uint8Array(numbers.buffer)));

/** A reading as Python sends it, of one window that holds every word. */
function reading(/** @type {number} */ stamp, /** @type {string} */ context) {
  const words = context.split(" ");
  const at = words.flatMap((word, d) => {
    const from = words.slice(0, d).join(" ").length + (d ? 1 : 0);
    return [from, from + word.length];
  });
  const logits = packed(new Float32Array(words.length + 4));
  return {
    stamp,
    context,
    names: { prefix: ["[CLS]", "who", "[SEP]"], context: words, suffix: ["[SEP]"] },
    offsets: packed(Int32Array.from(at)),
    words: packed(Int32Array.from(words.keys())),
    owner: packed(new Int32Array(words.length)),
    windows: [{ start: logits, end: logits, docStart: 0, docStop: words.length, contextAt: 3 }],
  };
}

const span = (/** @type {number} */ stamp, /** @type {number} */ at) => ({
  stamp,
  window: 0,
  start: at,
  end: at,
  predicted: { window: 0, start: at, end: at },
  answer: "",
});

/** @type {(string | null)[]} */
const seen = [];
for (const event of ["reading", "selection"]) {
  hear(event, () => seen.push(state.selection && textOf(state.selection)));
}
const since = () => seen.splice(0);

Deno.test("no moment has a span of one reading beside the words of another", () => {
  const [long, short] = ["one two three four five", "six seven"];
  arrive(reading(1, long));
  keep(span(1, 4));
  assert.deepEqual(since(), [null, "five"]);
  // the reading first, then its record
  arrive(reading(2, short));
  assert.equal(state.predicted, null);
  keep(span(2, 1));
  assert.deepEqual(since(), [null, "seven"]);
  // the record first: it waits
  keep(span(3, 3));
  assert.deepEqual(since(), []);
  arrive(reading(3, long));
  assert.deepEqual(since(), [null, "four"]);
  // other numbers of the same words leave the selection where it is
  arrive(reading(4, long));
  keep(span(4, 3));
  assert.deepEqual(since(), ["four", "four"]);
});
