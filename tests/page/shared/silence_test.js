import assert from "node:assert/strict";
import { heard, knockBy, wait } from "../../../assets/page/shared/silence.js";

/** @type {{ at: number, run: () => void }[]} */
let alarms = [];
let now = 0;
const knocks = [];

/** Let so many milliseconds pass. */
function pass(milliseconds) {
  const until = now + milliseconds;
  for (;;) {
    const next = alarms.filter((one) => one.at <= until).sort((a, b) => a.at - b.at)[0];
    if (!next) break;
    alarms = alarms.filter((one) => one !== next);
    now = next.at;
    next.run();
  }
  now = until;
}

Deno.test("who waits and hears nothing knocks, ever more rarely, and not for ever", () => {
  const { setTimeout, clearTimeout } = globalThis;
  Object.assign(globalThis, {
    setTimeout: (run, after) => {
      const one = { at: now + after, run };
      alarms.push(one);
      return one;
    },
    clearTimeout: (one) => {
      alarms = alarms.filter((other) => other !== one);
    },
  });
  try {
    knockBy((event, data) => knocks.push([now, event, data.index]));
    wait();
    pass(1_999);
    assert.deepEqual(knocks, []);
    pass(600_000);
    assert.deepEqual(
      knocks,
      [2, 6, 14, 30, 62, 126].map((seconds) => [1000 * seconds, "input", "knock"]),
    );
    knocks.length = 0;
    wait();
    pass(1_500);
    heard(true); // it is being worked on
    pass(1_500);
    heard(false);
    pass(600_000);
    assert.deepEqual(knocks, []);
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
});
