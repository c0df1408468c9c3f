// A worksheet for paper: tasks first, the solution on a page of its own. It stands in the page only
// while it is printed.

import { el, headRow, row } from "../shared/dom.js";
import { emphasised } from "../shared/emphasis.js";
import { fixed } from "../shared/numbers.js";
import { state } from "../shared/store.js";
import { sheet } from "./sheet.js";

const CLASS = "worksheet-only";

/** Print what stands in this element, and nothing else of the page. */
export function printOnly(root) {
  document.querySelector(".worksheet")?.remove();
  document.body.append(root);
  document.body.classList.add(CLASS);
  const done = () => {
    document.body.classList.remove(CLASS);
    root.remove();
    globalThis.removeEventListener("afterprint", done);
  };
  globalThis.addEventListener("afterprint", done);
  globalThis.print();
}

const page = (title, ...content) => el("section.sheet", el("h1", title), ...content);
const task = (number, text, ...more) => el("section.task", el("h2", `${number}. ${text}`), ...more);

/** Words, each with a box for the start above and one for the end below. */
const strips = (words, filled) =>
  el(
    "div.strips",
    words.map(({ text, start, end }) =>
      el(
        "span.strip-word",
        el("span.box.box-start", filled ? start : ""),
        el("bdi", text),
        el("span.box.box-end", filled ? end : ""),
      )
    ),
  );

/** Rows are starts, columns ends; an illegal pair is a dash in the solution. */
function pairs({ names, pairs: { starts, ends, cells, best } }, filled) {
  const head = (logits) => (name, k) => [el("bdi", name), el("span", logits[k])];
  const isBest = (r, c) => filled && best[0] === r && best[1] === c;
  const cell = (sum, r, c) =>
    el("td", { class: isBest(r, c) ? "best" : null }, filled ? (sum ?? "–") : "");
  return el(
    "table.pairs",
    headRow(["start \\ end", ...names.map(head(ends))]),
    el(
      "tbody",
      names.map(head(starts)).map((name, r) =>
        row(name, cells[r].map((sum, c) => cell(sum, r, c)))
      ),
    ),
  );
}

const texts = (question, context) => [
  el("p.sheet-question", el("bdi", question)),
  el("p.sheet-text[dir=auto]", context),
];

const STRIPS =
  "Ten points for the start, ten for the end: where do you put them? The box above a word is for the start, the one below for the end.";

/**
 * The worksheet of a reading; `answer` is what the reader answers at this threshold, null for no
 * answer.
 */
export function readingSheet(data, answer, threshold) {
  const { words, part, pairs: found, names } = data;
  const some = part ? "Some words of the text around the answer:" : null;
  const [r, c] = found.best;
  return el(
    "div.worksheet",
    page(
      "Where is the answer?",
      texts(data.question, data.context),
      task(1, "Mark it", el("p", "Underline the words that answer the question, if any do.")),
      task(2, "Start and end", el("p", STRIPS), some && el("p", some), strips(words, false)),
      task(
        3,
        "The pairs",
        el(
          "p",
          "Each word piece has a start logit (left) and an end logit (above). Add them up for every pair, cross out the pairs that end before they start, and circle the best one.",
        ),
        pairs(data, false),
      ),
      task(
        4,
        "No answer?",
        el(
          "p",
          `For no answer the two logits are ${found.none[0]} and ${
            found.none[1]
          }. What is their sum? By how much does it differ from your best pair?`,
        ),
        el("p.blank"),
      ),
    ),
    page(
      "Solution",
      el("p.sheet-question", el("bdi", data.question)),
      el("p.sheet-about", "Reader: ", el("bdi", data.reader)),
      el("h2", "2. Probabilities of start and end, in percent"),
      strips(words, true),
      el("h2", "3. The pairs"),
      pairs(data, true),
      el(
        "p",
        "The best pair runs from ",
        el("bdi", `“${names[r]}”`),
        " to ",
        el("bdi", `“${names[c]}”`),
        ` and has ${found.score}.`,
      ),
      el("h2", "4. No answer?"),
      el(
        "p",
        `No answer has ${found.null}; less the best pair that is ${found.diff}. The reader’s threshold is ${
          fixed(threshold)
        }: it `,
        answer === null ? "gives no answer." : ["answers ", el("bdi", `“${answer}”`), "."],
      ),
    ),
  );
}

/** Print the worksheet of the text on screen; nothing before there is one. */
export function printReading() {
  const { reading, predicted, answer, record } = state;
  if (!reading || !predicted || !record) return;
  printOnly(readingSheet(sheet(reading, predicted), answer, record.threshold));
}

const asks = {
  choice: "Tick one.",
  pick: "Tick one.",
  mark: "Underline the words in the text.",
  number: "Your number:",
  chips: "Write your points over the words of the text.",
};

function step({ title, text, options, asks: how, about }, k) {
  return task(
    k + 1,
    title,
    about ? el("p.sheet-about", "Text: ", el("bdi", about)) : null,
    el("p", el("bdi", emphasised(text))),
    el("p.sheet-how", asks[how] ?? "Nothing to write here: read it, or do it on the page."),
    options.length ? el("ul.ticks", options.map((one) => el("li", el("bdi", one)))) : null,
    how && !options.length ? el("p.blank") : null,
  );
}

/**
 * The worksheet of a lesson, as Python sends it.
 * @param {{title: string, wrong: string, texts: string[][], steps: any[]}} data
 */
export function lessonSheet({ title, wrong, texts: read, steps }) {
  return el(
    "div.worksheet",
    page(title, read.map(([q, p]) => texts(q, p)), steps.map(step)),
    page(
      "Solution",
      el("h2", title),
      steps.map(({ title: name, answer, decides, reveal }, k) =>
        el(
          "section.task",
          el("h3", `${k + 1}. ${name}`),
          answer ? el("p", el("strong", el("bdi", answer))) : null,
          decides ? el("p", decides) : null,
          reveal ? el("p", emphasised(reveal)) : null,
        )
      ),
      el("p", "One often reads: ", el("q", wrong)),
    ),
  );
}
