// What a class guessed and learned, for the teacher: bars on screen, two tables as CSV, one sheet of
// paper. It lives in the teacher's browser and in files saved there.

import { fileName } from "../shared/csv.js";
import { el, table } from "../shared/dom.js";
import { saveCsv } from "../shared/take_table.js";
import { printOnly } from "../worksheet/worksheet.js";
import { dialogButton, showDialog } from "./dialog.js";

const share = (right, of) => (Number(of) ? (100 * Number(right)) / Number(of) : 0);

/** One bar with its count: "before 5 of 12". */
const bar = (name, right, of) =>
  el(
    `span.quiz-bar.${name}`,
    el("span", `${name} ${right} of ${of}`),
    el("span.tally-bar[aria-hidden=true]", { style: { width: `${share(right, of)}%` } }),
  );

const items = (rows) =>
  el(
    "ol.tasks.quiz-bars",
    rows.map(([title, said, before, ofBefore, after, ofAfter]) =>
      el(
        "li",
        el("p", el("strong", title), " ", el("q", said)),
        bar("before", before, ofBefore),
        bar("after", after, ofAfter),
      )
    ),
  );

/** One row for each step, what was guessed behind one another. */
function bySteps({ head: [lesson, step, minute], rows }) {
  const found = new Map();
  for (const [one, at, when, guess, pages] of rows) {
    const row = found.get(`${one} ${at}`) ?? [one, at, when, []];
    row[3].push(`${pages} × ${guess}`);
    found.set(`${one} ${at}`, row);
  }
  return {
    head: [lesson, step, minute, "guesses"],
    rows: [...found.values()].map(([one, at, when, said]) => [one, at, when, said.join("; ")]),
  };
}

const tables = ({ quiz, steps }) => [
  quiz ? table({ caption: "Quiz by question", ...quiz }) : null,
  steps.rows.length ? table({ caption: "Guesses by step", ...bySteps(steps) }) : null,
];

/** @param {any} data as Python sends it */
export function showResults(data) {
  const { code, pages, asked, quiz, steps, gain } = data;
  const save = (name, rows) =>
    rows && dialogButton(`${name} as CSV`, () => saveCsv(fileName(["room", code, name]), rows));
  const about = `${pages} page${pages === 1 ? " has" : "s have"} joined. ${gain}`;
  const title = `Results of room ${code}`;
  const print = () =>
    printOnly(
      el(
        "div.worksheet.plan",
        el("section.sheet", el("h1", title), el("p", about), tables(data)),
      ),
    );
  showDialog(
    title,
    el("p.said-intro", about),
    el(
      "p.task-form",
      save("quiz", quiz),
      save("guesses", steps.rows.length ? steps : null),
      quiz || steps.rows.length ? dialogButton("Print", print) : null,
    ),
    quiz ? items(quiz.rows) : el(
      "p",
      asked
        ? `The quiz is asked, nobody has handed in yet (0 of ${pages}).`
        : "Nobody has handed in a quiz: “quiz before” and “quiz after” ask it.",
    ),
    steps.rows.length ? tables({ quiz: null, steps }) : null,
    el(
      "p.said-source",
      "No names, no order of pages. The server forgets it with the room; keep the file if you want it.",
    ),
  );
}
