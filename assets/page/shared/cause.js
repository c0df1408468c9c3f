// A refusal of the page's own: it stands beside the control that it is about.

import { say } from "./store.js";
import { use } from "./touch.js";

/** @type {Element | null} */
let wrong = null;

/**
 * Say beside a control why what was typed there cannot be used; an empty text takes it back.
 * @param {HTMLElement} control
 * @param {string} text
 */
export function refuse(control, text) {
  wrong?.removeAttribute("aria-invalid");
  wrong = text ? control : null;
  if (text) {
    use(control);
    control.setAttribute("aria-invalid", "true");
    control.addEventListener("input", () => control.removeAttribute("aria-invalid"), {
      once: true,
    });
  }
  say("refused", text);
}
