// On the first visit one line offers the first lesson; once it was begun or declined it never comes
// again.

import { el } from "../shared/dom.js";
import { keep } from "./memory.js";

/**
 * The line; `begin` starts the lesson, `away` is told that the line is no longer wanted.
 * @param {{title: string, minutes: number}} lesson
 * @param {() => void} begin
 * @param {() => void} away
 */
export function offer({ title, minutes }, begin, away) {
  const settle = () => {
    keep({ declined: true });
    away();
  };
  return el(
    "p",
    { class: "lesson-offer", role: "note" },
    el("span", {}, `New here? “${title}” takes ${minutes} minutes. `),
    el("button", {
      type: "button",
      class: "plain",
      onclick: () => {
        settle();
        begin();
      },
    }, "Start lesson 1"),
    el("button", { type: "button", class: "plain", onclick: settle }, "No, thanks"),
  );
}
