// What the report was given, and where it stands.

import { el } from "../page/shared/dom.js";
import { unzipped } from "../page/shared/pack.js";

const holder = /** @type {HTMLElement} */ (document.getElementById("data"));
export const data = await unzipped(String(holder.textContent)).json();
export const main = /** @type {HTMLElement} */ (document.querySelector("main"));

/** A remark in small letters. @param {...any} words */
export const note = (...words) => el("p.note", ...words);

/**
 * A part of the report under a heading.
 * @param {string} title
 * @param {...any} children
 */
export function section(title, ...children) {
  const made = el("section", el("h2", title), ...children);
  main.append(made);
  return made;
}
