// "Said, and so": every wrong statement in one list, what holds instead, and the picture that breaks
// it.

import { el } from "../shared/dom.js";
import { close, dialogButton, showDialog } from "./dialog.js";

/**
 * Show the list over the page; `see(k)` opens the picture of statement k.
 * @param {{title: string, text: string, source: string}[]} statements
 * @param {(number: number) => void} see
 */
export function showSaid(statements, see) {
  showDialog(
    "Said, and so",
    el("p.said-intro", "What introductions to this subject say, and what holds instead."),
    el(
      "ol",
      statements.map(({ title, text, source }, k) =>
        el(
          "li",
          el("p.said-wrong", el("q", title)),
          el("p", text),
          source ? el("p.said-source", source) : null,
          dialogButton("See it", () => {
            close();
            see(k);
          }, { "aria-label": `See it: ${title}` }),
        )
      ),
    ),
  );
}
