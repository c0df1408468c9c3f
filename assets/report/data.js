// What the report was given, and where it stands.

import { el } from "./shared/dom.js";
import { unzipped } from "./shared/pack.js";

const holder = /** @type {HTMLElement} */ (document.getElementById("data"));
export const data = await unzipped(String(holder.textContent)).json();
data.rows = rowsOf(data.rows);
export const main = /** @type {HTMLElement} */ (document.querySelector("main"));

/** An object for each row, of a list for each field. */
function rowsOf(columns) {
  const fields = Object.entries(columns).map(([name, of]) => [
    name,
    Array.isArray(of) ? of : rowsOf(of),
  ]);
  return fields[0][1].map((_, k) => Object.fromEntries(fields.map(([name, of]) => [name, of[k]])));
}

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
