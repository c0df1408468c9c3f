// The keys of chapter 6: what a mark of its pictures stands for.

import { el } from "../shared/dom.js";

/**
 * What a mark says, in the line under its picture; `hint` while none is pointed at.
 * @param {Element} picture
 * @param {string} mark
 * @param {string} hint
 */
export function saying(picture, mark, hint) {
  const line = el("p.readout[aria-hidden=true]", hint);
  const tell = (/** @type {any} */ { target }) => {
    line.textContent = target.closest?.(mark)?.dataset.says ?? hint;
  };
  picture.addEventListener("pointerover", tell);
  picture.addEventListener("focusin", tell);
  return line;
}

export const key = (kind, text) =>
  el("span.w-key", el(`span.swatch.${kind}[aria-hidden=true]`), text);
