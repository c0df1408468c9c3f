// The way to a step of a chapter, and to a control there: by the ids that a reader of the page
// could press in turn.

import { carry } from "./carry.js";
import { hear, state } from "./store.js";

const LONGEST = 60_000;

/** Look at each frame, until it is found or a minute has passed. */
function watch(look) {
  const until = performance.now() + LONGEST;
  const again = () => {
    if (!look() && performance.now() < until) requestAnimationFrame(again);
  };
  again();
}

/**
 * Press a step of a chapter as soon as its button is drawn.
 * @param {string} chapter
 * @param {string} step
 * @param {() => boolean} [after] looked at once it is pressed
 */
function press(chapter, step, after = () => true) {
  let pressed = false;
  watch(() => {
    const button = document.getElementById(`${chapter}-step-${step}`);
    if (button?.checkVisibility() && !pressed) {
      if (button.getAttribute("aria-pressed") !== "true") button.click();
      pressed = true;
    }
    return pressed && after();
  });
}

/**
 * Do something whenever an element has another size, until somebody acts; returns what ends it.
 * @param {Element} node
 * @param {() => void} act
 */
export function untilTouched(node, act) {
  const sizes = new ResizeObserver(act);
  const touched = new AbortController();
  const end = () => {
    sizes.disconnect();
    touched.abort();
  };
  sizes.observe(node);
  for (const name of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    addEventListener(name, end, { signal: touched.signal, passive: true });
  }
  return end;
}

/**
 * Open a chapter and one of its steps, and put the focus on a control there as soon as it is drawn.
 * @param {string} chapter
 * @param {string} step
 * @param {string} control the id of the control
 */
export function visit(chapter, step, control) {
  document.getElementById(`tab-${chapter}`)?.click();
  press(chapter, step, () => {
    const found = document.getElementById(control);
    if (!found?.checkVisibility()) return false;
    found.scrollIntoView({ block: "center" });
    found.focus({ preventScroll: true });
    // while what stands above it is still being drawn
    untilTouched(document.body, () => found.scrollIntoView({ block: "nearest" }));
    return true;
  });
}

/** The open step of the open chapter travels in links. */
export function carryStep() {
  carry("step", () => {
    const before = `${state.chapter}-step-`;
    const open = document.querySelector(
      `#panel-${state.chapter} [id^="${before}"][aria-pressed="true"]`,
    );
    return open ? open.id.slice(before.length) : null;
  });
  hear("reading", ({ page, open }) => {
    if (typeof page?.step === "string" && open) press(open, page.step);
  });
}
