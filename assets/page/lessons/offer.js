// On the first visit one line offers the first lesson; once it was begun or declined it never comes
// again.

import { el } from "../shared/dom.js";
import { keep } from "./memory.js";

/**
 * @param {{title: string, minutes: number}} lesson
 * @param {() => void} begin
 */
export function offer({ title, minutes }, begin) {
  const away = () => {
    keep({ declined: true });
    line.remove();
  };
  const line = el(
    "p",
    { class: "lesson-offer", role: "note" },
    el("span", {}, `New here? “${title}” takes ${minutes} minutes. `),
    el("button", {
      type: "button",
      class: "plain",
      onclick: () => {
        away();
        begin();
      },
    }, "Start lesson 1"),
    el("button", { type: "button", class: "plain", onclick: away }, "No, thanks"),
  );
  document.querySelector("#header .mount")?.append(line);
}
