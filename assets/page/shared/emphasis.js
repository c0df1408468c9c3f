// What an author may set apart in a lesson's text: *a new term* and `what is typed`. All else is
// text as it stands.

import { el } from "./dom.js";

const APART = /\*([^*]+)\*|`([^`]+)`/g;

/**
 * The text as nodes and strings.
 * @param {string} text
 * @returns {(string | HTMLElement)[]}
 */
export function emphasised(text) {
  const found = [];
  let at = 0;
  for (const match of text.matchAll(APART)) {
    found.push(text.slice(at, match.index));
    found.push(match[1] ? el("em", match[1]) : el("code", match[2]));
    at = match.index + match[0].length;
  }
  return [...found, text.slice(at)].filter((part) => part !== "");
}
