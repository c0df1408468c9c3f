// A picture that is drawn later than the address is written: its step reaches the link all the same.

import assert from "node:assert/strict";
import { page as document } from "../fake_dom.js";

const START = "https://page.test/#example=bridge&chapter=loss";
const calls = /** @type {any[]} */ ([]);
const location = new URL(START);
const write = (how) => (state, _, address) => {
  history.state = state;
  calls.push({ how, address });
  if (address) location.href = address;
};
/** @type {any} */
const history = { state: null, pushState: write("push"), replaceState: write("replace") };
document();
Object.assign(globalThis.document, { addEventListener: () => {} });
Object.assign(globalThis, { window: { history, location } });
// the pause ends when the test says so
/** @type {(() => Promise<void>) | null} */
let waiting = null;
globalThis.setTimeout = /** @type {any} */ ((/** @type {any} */ act) => {
  waiting = act;
  return 1;
});
const paused = () => {
  const act = waiting;
  waiting = null;
  return act?.();
};

const { fieldsOf, followAddress, pack } = await import("../../../assets/page/shared/address.js");
const { carry } = await import("../../../assets/page/shared/carry.js");
const { say, state } = await import("../../../assets/page/shared/store.js");

const READING = { stamp: 1, question: "Who?", context: "Ada met Grace.", reader: "bundled" };
const LINK = { reader: ["bundled"], span: [0, 1, 1] };
/** @type {string | null} */
let step = null;
carry("step", () => step);

const link = (/** @type {string} */ chapter, /** @type {string | null} */ step) =>
  pack(fieldsOf(READING, LINK, { chapter, step }));

Deno.test("the step of a picture that is drawn late goes into the link", async () => {
  followAddress();
  Object.assign(state, { chapter: "loss", reading: READING, record: { stamp: 1, link: LINK } });
  say("reading", { page: null, open: "loss" });
  await paused();
  assert.equal(history.state.spanlight, await link("loss", null));

  // a visit that has changed nothing: only the entry learns the step
  step = "labels";
  say("drawn", "loss");
  await paused();
  assert.equal(history.state.spanlight, await link("loss", "labels"));
  assert.equal(location.href, START);

  // another chapter, whose picture is late too
  [state.chapter, step] = ["scores", null];
  say("opened", "scores");
  await paused();
  assert.deepEqual(calls.at(-1), {
    how: "push",
    address: `https://page.test/${await link("scores", null)}`,
  });
  step = "layers";
  say("drawn", "scores");
  await paused();
  assert.deepEqual(calls.at(-1), {
    how: "replace",
    address: `https://page.test/${await link("scores", "layers")}`,
  });

  // drawn again, nothing new to say
  const many = calls.length;
  say("drawn", "scores");
  await paused();
  assert.equal(calls.length, many);
});
