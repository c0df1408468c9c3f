// What the last message to Python came from: a refusal stands beside it, one of the page's own too.

import { say } from "./store.js";

const CONTROL = "button, input, textarea, select, summary, [tabindex], [role=button]";

/** @type {Element | null} */
let touched = null;
/** @type {DOMRect | null} */
let where = null;
/** @type {Element | null} */
let wrong = null;

/** @param {Event} event */
function touch(event) {
  const control = event.target instanceof Element ? event.target.closest(CONTROL) : null;
  if (!control) return;
  touched = control;
  where = control.getBoundingClientRect();
}

["pointerdown", "keydown", "input"].forEach((kind) =>
  document.addEventListener(kind, touch, { capture: true, passive: true })
);

/** Where on the screen the control that was used last stands, or stood before a redraw. */
export const lastTouched = () =>
  touched?.isConnected && touched.checkVisibility() ? touched.getBoundingClientRect() : where;

/**
 * Say beside a control why what was typed there cannot be used; an empty text takes it back.
 * @param {HTMLElement} control
 * @param {string} text
 */
export function refuse(control, text) {
  wrong?.removeAttribute("aria-invalid");
  wrong = text ? control : null;
  if (text) {
    touched = control;
    where = control.getBoundingClientRect();
    control.setAttribute("aria-invalid", "true");
    control.addEventListener("input", () => control.removeAttribute("aria-invalid"), {
      once: true,
    });
  }
  say("refused", text);
}

/**
 * Whether this is the control that was used last.
 * @param {EventTarget | null} control
 */
export const isTouched = (control) => control === touched;
