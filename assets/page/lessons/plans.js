// For teachers: the plans of an hour, minute by minute, and what each lesson is for; on the screen one
// by one, on paper the one in hand.

import { el, table } from "../shared/dom.js";
import { printOnly } from "../worksheet/worksheet.js";
import { showDialog } from "./dialog.js";

const button = (text, act, more = {}) =>
  el("button", { type: "button", class: "said-button", onclick: act, ...more }, text);

const body = ({ title, lines, head, rows }) => [
  lines.map((line) => el("p", {}, line)),
  table({ caption: title, head, rows }),
];

/** @param {{sheets: any[], faults: string[], often: string}} data as Python sends it */
export function showPlans(data, at = 0) {
  const { sheets, faults, often } = data;
  const one = sheets[at];
  showDialog(
    "For teachers",
    el("p", { class: "said-intro" }, `Plans of an hour and the aims of the lessons. ${often}`),
    faults.map((fault) => el("p", { class: "strip-wrong" }, "A file is left out: ", fault)),
    el(
      "p",
      { class: "task-form" },
      sheets.map(({ title }, k) =>
        button(title, () => showPlans(data, k), { "aria-pressed": k === at })
      ),
    ),
    el("div", { class: "plan" }, body(one)),
    button("Print this page", () =>
      printOnly(
        el(
          "div",
          { class: "worksheet plan" },
          el("section", { class: "sheet titled" }, el("h1", {}, one.title), body(one)),
        ),
      )),
  );
}
