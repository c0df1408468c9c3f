// What the last message to Python came from: a refusal stands beside it.

const CONTROL = "button, input, textarea, select, summary, [tabindex], [role=button]";

/** @type {Element | null} */
let touched = null;
/** @type {DOMRect | null} */
let where = null;

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
 * Whether this is the control that was used last.
 * @param {EventTarget | null} control
 */
export const isTouched = (control) => control === touched;
