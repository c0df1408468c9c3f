// On a saved page: what stands in the place of numbers that only the running page can make.

import { el } from "./dom.js";

export const NOT_SAVED = "This was not saved with the reading: it needs the running page.";

/**
 * A sentence, and the link that opens what is shown on the running page, where there is one. It
 * follows the link in the page's head, whose address changes with what is shown.
 * @param {string} sentence
 */
export function needsPage(sentence = NOT_SAVED) {
  const way = document.getElementById("to-page");
  if (!(way instanceof HTMLAnchorElement)) return [sentence];
  const link = el("a", { href: way.href, target: "_blank", rel: way.rel }, "open it there");
  const follow = () => link.setAttribute("href", way.href);
  ["click", "auxclick", "contextmenu", "focus", "pointerenter"].forEach((name) =>
    link.addEventListener(name, follow)
  );
  return [`${sentence} `, link];
}
