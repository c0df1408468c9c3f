// "Said, and so": every wrong statement in one list, what holds instead, and the picture that breaks
// it.

import { el } from "../shared/dom.js";

/** @type {HTMLDialogElement | null} */
let dialog = null;

/**
 * Show the list over the page; `see(k)` opens the picture of statement k.
 * @param {{title: string, text: string, source: string}[]} statements
 * @param {(number: number) => void} see
 */
export function showSaid(statements, see) {
  dialog?.remove();
  const close = () => dialog?.close();
  dialog = /** @type {HTMLDialogElement} */ (el(
    "dialog",
    { class: "said", "aria-labelledby": "said-title" },
    el(
      "div",
      { class: "said-head" },
      el("h2", { id: "said-title" }, "Said, and so"),
      el("button", { type: "button", class: "said-button", onclick: close }, "Close"),
    ),
    el(
      "p",
      { class: "said-intro" },
      "What introductions to this subject say, and what holds instead.",
    ),
    el(
      "ol",
      {},
      statements.map(({ title, text, source }, k) =>
        el(
          "li",
          {},
          el("p", { class: "said-wrong" }, el("q", {}, title)),
          el("p", {}, text),
          source ? el("p", { class: "said-source" }, source) : null,
          el("button", {
            type: "button",
            class: "said-button",
            "aria-label": `See it: ${title}`,
            onclick: () => {
              close();
              see(k);
            },
          }, "See it"),
        )
      ),
    ),
  ));
  document.body.append(dialog);
  dialog.showModal();
}
