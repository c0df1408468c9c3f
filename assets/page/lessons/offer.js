// One line offers the first lesson on the first visit; once it was begun or declined it never comes
// again. On a later one it offers to go on with a lesson that was left half-way: who opens the plain
// address wants the chapters. It stands in the title's line, on a narrow screen over the lower edge:
// nothing moves for it.

import { el } from "../shared/dom.js";
import { keep } from "./memory.js";

/**
 * @param {string} says
 * @param {string} title
 * @param {[string, () => void]} go what is offered, and how it begins
 * @param {[string, () => void]} no how it is declined
 */
function line(says, title, go, no) {
  const choice = (/** @type {[string, () => void]} */ [text, act]) =>
    el("button.plain", {
      onclick: () => {
        root.remove();
        act();
      },
    }, text);
  const root = el(
    "p.lesson-offer[role=note]",
    el("span", { title: `“${title}”` }, says),
    choice(go),
    choice(no),
  );
  return root;
}

/**
 * The line of a first visit; `begin` starts the lesson.
 * @param {{title: string, minutes: number}} lesson
 * @param {() => void} begin
 */
export function offer({ title, minutes }, begin) {
  const settled = (/** @type {() => void} */ act) => () => {
    keep({ declined: true });
    act();
  };
  const says = `New here? ${minutes} minutes: `;
  return line(says, title, ["Start lesson 1", settled(begin)], ["No, thanks", settled(() => {})]);
}

/**
 * The line of a visit after a lesson was left half-way; `resume` opens it where it was left.
 * @param {string} title
 * @param {number} number of the lesson
 * @param {number} step counted from 1
 * @param {() => void} resume
 */
export const goOn = (title, number, step, resume) =>
  line(
    `You left lesson ${number} at step ${step}: `,
    title,
    ["go on", resume],
    ["not now", () => keep({ at: null })],
  );
