// What was used last on the page, and how often anything was used: a refusal stands beside the one,
// and goes for what came after it.

const CONTROL = "button, input, textarea, select, summary, [tabindex], [role=button]";

/** @type {Element | null} */
let touched = null;
/** @type {DOMRect | null} */
let where = null;
let count = 0;

/**
 * Count this control as the one that was used last.
 * @param {Element} control
 */
export function use(control) {
  touched = control;
  where = control.getBoundingClientRect();
}

/** @param {Event} event */
function touch(event) {
  const control = event.target instanceof Element ? event.target.closest(CONTROL) : null;
  if (!control) return;
  count += 1;
  use(control);
}

if (globalThis.document) {
  ["pointerdown", "keydown", "input"].forEach((kind) =>
    document.addEventListener(kind, touch, { capture: true, passive: true })
  );
}

/** The control that was used last, while it stands in sight on the page. */
export const lastTouched = () => touched?.isConnected && touched.checkVisibility() ? touched : null;

/** Where on the screen it stood when it was used. */
export const lastPlace = () => where;

/**
 * Whether this is the control that was used last.
 * @param {EventTarget | null} control
 */
export const isTouched = (control) => control === touched;

/** How often a control was used until now. */
export const acts = () => count;
