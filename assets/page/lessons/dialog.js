// A dialog over the page with a title, a Close button and one thing to read or do.

import { el } from "../shared/dom.js";

/** A button of a dialog. @param {string} text @param {() => void} onclick @param {any} [more] */
export const dialogButton = (text, onclick, more = {}) =>
  el("button.said-button", { onclick, ...more }, text);

/** @type {HTMLDialogElement | null} */
let open = null;
/** @type {Element | null} */
let back = null;

/** Put the dialog away; the focus goes back to where it was. */
export const close = () => open?.close();

/**
 * Show the content over the page, in place of what another dialog shows.
 * @param {string} title
 * @param {...any} content
 */
export function showDialog(title, ...content) {
  if (!open) back = document.activeElement;
  open?.remove();
  const made = /** @type {HTMLDialogElement} */ (el(
    "dialog.said",
    { "aria-labelledby": "dialog-title", onclose: put },
    el(
      "div.said-head",
      el("h2#dialog-title[tabindex=-1]", title),
      dialogButton("Close", close),
    ),
    content,
  ));
  open = made;
  document.body.append(made);
  made.showModal();
}

/** A dialog that took another one's place knows no way back by itself. */
function put() {
  open?.remove();
  open = null;
  if (back instanceof HTMLElement) back.focus();
}
