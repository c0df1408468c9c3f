// On the first visit one line offers the first lesson; once it was begun or declined it never comes
// again. It stands in the title's line, on a narrow screen over the lower edge: nothing moves for it.

import { el } from "../shared/dom.js";
import { keep } from "./memory.js";

/**
 * The line; `begin` starts the lesson.
 * @param {{title: string, minutes: number}} lesson
 * @param {() => void} begin
 */
export function offer({ title, minutes }, begin) {
  const settle = () => {
    keep({ declined: true });
    line.remove();
  };
  const line = el(
    "p",
    { class: "lesson-offer", role: "note" },
    el("span", { title: `“${title}”` }, `New here? ${minutes} minutes: `),
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
  return line;
}
