// For teachers: the plans of an hour, minute by minute, and what each lesson is for; on the screen one
// by one, on paper the one in hand.

import { el, table } from "../shared/dom.js";
import { printOnly } from "../worksheet/worksheet.js";
import { dialogButton as button, showDialog } from "./dialog.js";

const body = ({ title, lines, head, rows }) => [
  lines.map((line) => el("p", line)),
  table({ caption: title, head, rows }),
];

/** @param {{sheets: any[], faults: string[], often: string}} data as Python sends it */
export function showPlans(data, at = 0) {
  const { sheets, faults, often } = data;
  const one = sheets[at];
  showDialog(
    "For teachers",
    el("p.said-intro", `Plans of an hour and the aims of the lessons. ${often}`),
    faults.map((fault) => el("p.strip-wrong", "A file is left out: ", fault)),
    el(
      "p.task-form",
      sheets.map(({ title }, k) =>
        button(title, () => showPlans(data, k), { "aria-pressed": k === at })
      ),
    ),
    el("div.plan", body(one)),
    button("Print this page", () =>
      printOnly(
        el("div.worksheet.plan", el("section.sheet.titled", el("h1", one.title), body(one))),
      )),
  );
}
