import assert from "node:assert/strict";
import { between, dragging } from "../../../assets/page/shared/drag.js";

const words = [{ first: 0, last: 0 }, { first: 1, last: 3 }, { first: 4, last: 4 }];

/** A text whose words are named by their index, and a log of what it says. */
function text() {
  const root = new EventTarget();
  /** @type {[string, any][]} */
  const log = [];
  Object.assign(globalThis, { document: new EventTarget() });
  dragging(/** @type {any} */ (root), {
    at: () => now < 0 ? null : words[now],
    pend: (span) => log.push(["pend", span]),
    commit: (span) => log.push(["commit", span]),
  });
  let now = -1;
  const fire = (/** @type {string} */ kind, /** @type {number} */ word, more = {}) => {
    now = word;
    const event = Object.assign(new Event(kind, { cancelable: true }), {
      button: 0,
      buttons: 1,
      shiftKey: false,
      ...more,
    });
    (kind === "mouseup" ? document : root).dispatchEvent(event);
    return event;
  };
  return { log, fire };
}

Deno.test("two words span from the first piece of one to the last of the other", () => {
  assert.deepEqual(between(words[1], words[2]), { start: 1, end: 4 });
  assert.deepEqual(between(words[2], words[1]), { start: 1, end: 4 });
});

Deno.test("a drag shows what it would select and selects it once", () => {
  const { log, fire } = text();
  assert.ok(fire("mousedown", 1).defaultPrevented, "the browser selects nothing of its own");
  fire("mouseover", 1);
  fire("mouseover", 0);
  fire("mouseover", -1); // between two words
  fire("mouseover", 2);
  fire("mouseup", -1);
  fire("mouseup", -1);
  fire("mouseover", 0);
  assert.deepEqual(log, [
    ["pend", { start: 0, end: 3 }],
    ["pend", { start: 1, end: 4 }],
    ["pend", null],
    ["commit", { start: 1, end: 4 }],
  ]);
});

Deno.test("a press without a move, with Shift, by another button or let go outside is no drag", () => {
  const { log, fire } = text();
  fire("mousedown", 1);
  fire("mouseup", 1);
  assert.ok(fire("mousedown", 1, { shiftKey: true }).defaultPrevented);
  fire("mouseover", 2);
  fire("mouseup", 2);
  assert.ok(!fire("mousedown", 1, { button: 2 }).defaultPrevented);
  fire("mouseover", 2);
  assert.ok(!fire("mousedown", -1).defaultPrevented, "blank space stays the browser's");
  assert.deepEqual(log, []);
  fire("mousedown", 0);
  fire("mouseover", 2);
  fire("mouseover", 1, { buttons: 0 }); // let go outside the window
  fire("mouseup", 1);
  assert.deepEqual(log, [["pend", { start: 0, end: 4 }], ["pend", null]]);
});
