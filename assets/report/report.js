// The report on a file of predictions: its head, and the order of its parts. Every text of a file or a
// reader becomes a page through textContent only.

import { el, put } from "./shared/dom.js";
import { fixed, grouped } from "./shared/numbers.js";
import { many, range } from "./charts.js";
import { calibrated, thresholds } from "./curves.js";
import { data, main, note } from "./data.js";
import { groups, kinds } from "./groups.js";
import { follow, questions } from "./questions.js";
import { changed, lists, ofEach, pair, restsOn, table } from "./tables.js";

/** Below so many articles (or paragraphs) the bootstrap's intervals are known to be too short. */
const FEW = 20;
const one = (x) => fixed(x, 1);
function head() {
  const { run, drawn } = data;
  document.title = `Report: ${data.names.join(" against ")} on ${run.file}`;
  const parts = data.scores[0].map((part, k) => [
    part.name,
    grouped(part.count),
    ...data.scores.flatMap((of) => [
      `${one(of[k].exact.value)} (${range(of[k].exact, 1)})`,
      `${one(of[k].f1.value)} (${range(of[k].f1, 1)})`,
    ]),
  ]);
  const silent = run.rules === "2.0" &&
    data.scores[0].find(({ name }) => name === "without an answer");
  put(
    main,
    el("h1", `${data.names.join(" against ")} on ${run.file}`),
    table(
      `Rules of SQuAD ${run.rules}; percent, with 95 % intervals`,
      ["", "questions", ...ofEach(["exact", "F1"])],
      parts,
    ),
    note(
      silent
        ? `Never to answer would be right for ${one(100 * silent.count / data.rows.length)} %. `
        : "",
      `Intervals by bootstrap: the ${many(drawn.count, drawn.of.slice(0, -1))} of the file are `,
      "drawn with replacement, 2,000 times, each with all of its questions.",
      drawn.count < FEW ? " From so few an interval is rough, and rather too short." : "",
    ),
    data.stopped && note(
      "These lines are not one whole run of evaluate: it was stopped, or had another --limit. ",
      "The same command goes on with it.",
    ),
    el(
      "details",
      { open: data.names.length > 1 },
      el("summary", "What it was made with"),
      table("Settings of the run", ["", ...data.names], data.settings, 9),
    ),
  );
}

head();
pair();
changed();
lists();
kinds();
groups();
restsOn();
calibrated();
thresholds();
questions();
follow();
