// The report on a file of predictions: pictures, and a table to filter. Every text of a file or a
// reader becomes a page through textContent only.

import { el, svg } from "../page/shared/dom.js";
import { fixed, grouped, place } from "../page/shared/numbers.js";
import { axes, bars, leavesOutZero, many, path, range, signed } from "./charts.js";
import { data, main, section } from "./data.js";
import { follow, press, questions } from "./questions.js";

/** Below so many articles (or paragraphs) the bootstrap's intervals are known to be too short. */
const FEW = 20;
const one = (x) => fixed(x, 1);
const two = (x) => fixed(x, 2);

function table(caption, head, rows, numbers = 1) {
  const cells = (tag, row) =>
    row.map((cell, k) =>
      el(k === 0 && tag === "td" ? "th" : tag, {
        scope: tag === "th" ? "col" : k === 0 ? "row" : undefined,
        class: k >= numbers ? "number" : undefined,
      }, cell)
    );
  return el(
    "div",
    { class: "wide" },
    el(
      "table",
      {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, ...cells("th", head))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...cells("td", row)))),
    ),
  );
}

// --- sections ----------------------------------------------------------------------------------

function head() {
  const { run, drawn } = data;
  document.title = `Report: ${data.names.join(" against ")} on ${run.file}`;
  main.append(el("h1", {}, `${data.names.join(" against ")} on ${run.file}`));
  const parts = data.scores[0].map((part, k) => [
    part.name,
    grouped(part.count),
    ...data.scores.flatMap((of) => [
      `${one(of[k].exact.value)} (${range(of[k].exact, 1)})`,
      `${one(of[k].f1.value)} (${range(of[k].f1, 1)})`,
    ]),
  ]);
  const columns = data.names.flatMap((name) =>
    data.names.length > 1 ? [`exact, ${name}`, `F1, ${name}`] : ["exact", "F1"]
  );
  main.append(
    table(
      `Rules of SQuAD ${run.rules}; percent, with 95 % intervals`,
      ["", "questions", ...columns],
      parts,
    ),
    el(
      "p",
      { class: "note" },
      `Intervals by bootstrap: the ${many(drawn.count, drawn.of.slice(0, -1))} of the file are `,
      "drawn with replacement, 2,000 times, each with all of its questions.",
      drawn.count < FEW ? " From so few an interval is rough, and rather too short." : "",
    ),
    ...(data.stopped
      ? [
        el(
          "p",
          { class: "note" },
          "These lines are not one whole run of evaluate: it was stopped, or had another --limit. ",
          "The same command goes on with it.",
        ),
      ]
      : []),
    el(
      "details",
      { open: data.names.length > 1 },
      el("summary", {}, "What it was made with"),
      table("Settings of the run", ["", ...data.names], data.settings, 9),
    ),
  );
}

/** Answers that are lists, by MultiSpanQA's measures. */
function lists() {
  const rows = data.lists.flatMap((heads, k) =>
    Object.entries(heads).map(([head, found]) => [
      data.names.length > 1 ? `${data.names[k]}, ${head}` : head,
      grouped(found.total),
      one(found.whole_lists),
      ...[found.exact, found.overlap].flatMap((x) => [one(x.precision), one(x.recall), one(x.f1)]),
    ])
  );
  if (!rows.length) return;
  const measures = ["exact", "overlap"].flatMap((name) =>
    ["precision", "recall", "F1"].map((rate) => `${name}: ${rate}`)
  );
  section(
    "Lists of answers",
    el(
      "p",
      { class: "note" },
      "MultiSpanQA’s measures, in percent, over the questions whose answer is a list. Whole: every answer and nothing else. Overlap counts the shared part of a span.",
    ),
    table("Percent", ["", "lists", "whole", ...measures], rows),
  );
}

function pair() {
  const found = data.pair;
  if (!found) return;
  const [a, b] = data.names;
  const limit = (x) => x === null ? "none" : two(x);
  const difference = (x) => `${signed(x.value)} (${range(x)})`;
  const verdict = (under) =>
    leavesOutZero(under.f1_difference)
      ? `${under.f1_difference.value > 0 ? a : b} is better`
      : "not told apart";
  const rows = found.under.map((under) => [
    under.meaning,
    `${limit(under.limits[0])}, ${limit(under.limits[1])}`,
    `${one(under.f1[0].value)}, ${one(under.f1[1].value)}`,
    difference(under.f1_difference),
    difference(under.exact_difference),
    verdict(under),
  ]);
  section(
    "Two readers on the same questions",
    table(
      `${a} minus ${b}, in points with a 95 % interval; the last column goes by F1`,
      ["thresholds", "which", "F1 of each", "F1", "exact", "so"],
      rows,
    ),
    table("Exactly right, each reader at the threshold it was run with", ["by", "questions"], [
      ["both", grouped(found.both)],
      [`only ${a}`, grouped(found.only_a)],
      [`only ${b}`, grouped(found.only_b)],
      ["neither", grouped(found.neither)],
    ]),
    el(
      "p",
      { class: "note" },
      "Not told apart: the interval of the difference of F1 holds 0. The same draws serve both ",
      "readers, so that what a question costs both is not counted as a difference.",
    ),
  );
}

function kinds() {
  const rows = data.kinds.map((kind) => [
    el("span", {}, kind.name, el("span", { class: "meaning" }, kind.meaning)),
    grouped(kind.count),
    `${one(100 * kind.count / data.rows.length)} %`,
    one(kind.f1.value),
  ]);
  const wrong = data.kinds.filter((kind) => kind.name !== "right");
  section(
    "What went wrong",
    table(
      "Each question has one kind; the first rule that holds decides.",
      ["kind", "questions", "share", "F1"],
      rows,
    ),
    el("p", {}, "Press a bar to see its questions."),
    bars(
      wrong.map(({ name, count }) => ({ name, value: count, says: grouped(count) })),
      {
        most: Math.max(1, ...wrong.map(({ count }) => count)),
        accent: "second",
        press: (kind) => press({ kind }),
      },
    ),
  );
}

function groups() {
  const made = section(
    "Where it is good, where it is weak",
    el(
      "p",
      {},
      `F1 of each group${data.pair ? ` for ${data.names[0]}` : ""}, its 95 % interval as a thin `,
      "line, and how many questions it has. Press a bar to see them.",
      data.pair
        ? ` Δ is ${data.names[0]} minus ${
          data.names[1]
        }; a star marks an interval without 0. With so many groups some stars come by chance.`
        : "",
    ),
  );
  const grid = el("div", { class: "grid" });
  made.append(grid);
  for (const { title, says, rows } of data.groups) {
    if (!rows.length) continue;
    const bar = (row) => ({
      name: row.name,
      ...row.f1,
      says: `${one(row.f1.value)} (${grouped(row.count)})${
        row.difference
          ? ` Δ ${signed(row.difference.value)}${leavesOutZero(row.difference) ? " *" : ""}`
          : ""
      }`,
    });
    grid.append(
      el(
        "div",
        {},
        el("h3", {}, title),
        el("p", { class: "note" }, says),
        bars(rows.map(bar), {
          most: 100,
          press: (group) => press({ slice: title, group }),
        }),
      ),
    );
  }
}

/** What the explained answers rested on, by parts of the texts. */
function restsOn() {
  data.attributed.forEach((found, k) => {
    if (!found) return;
    const said = (x) => x === null ? "" : `${signed(x.value)} (${range(x)})`;
    const both = found.parts.some(({ difference }) => difference);
    const heads = found.columns.map(({ name, count }) => `${name} (${grouped(count)})`);
    /** The difference of right and wrong stands behind these two. */
    const beside = (cells, less) => both ? cells.toSpliced(2, 0, less) : cells;
    section(
      data.names.length > 1 ? `What ${data.names[k]} rests on` : "What its answers rest on",
      el(
        "p",
        {},
        `By ${found.method}: what the words of each part add to the score of the best span, in `,
        "logits; the mean over the explained questions that have such words, with its 95 % interval. ",
        both ? "A star marks a difference of right and wrong whose interval leaves out 0. " : "",
        found.incomplete
          ? `For ${many(found.incomplete, "question")} the sum stayed 2 % or more off F(x) − F(x′).`
          : "",
      ),
      table(
        "Logits",
        ["part", ...beside(heads, "right minus wrong")],
        found.parts.map(({ name, means, values, difference }) => [
          el("span", {}, name, el("span", { class: "meaning" }, means)),
          ...beside(
            values.map(said),
            `${said(difference)}${difference && leavesOutZero(difference) ? " *" : ""}`,
          ),
        ]),
      ),
    );
  });
}

const CHANCE = {
  claim: "The chance that the best span is exactly right, whatever the text holds,",
  right_if_answerable: "The calibrated chance that the best span is right if the text answers,",
  in_window: "P(start) P(end) of the best span in its window, which no fit has corrected,",
};

function calibrated() {
  const found = data.calibration;
  if (!found) return;
  section(
    "How sure, and how often right",
    el(
      "p",
      {},
      `${CHANCE[found.of]} against how often it is exactly right. `,
      found.fitted ? "" : "python -m qa_demo calibrate fits one. ",
      `Mean distance of the two, weighted by questions: ${fixed(found.error, 3)} `,
      `(${many(found.questions, "question")}${found.of === "claim" ? "" : " with an answer"}).`,
    ),
    axes(
      "Share exactly right by probability",
      { domain: [0, 1], title: "probability" },
      { domain: [0, 1], title: "exactly right" },
      (x, y) => [
        svg("line", { class: "true", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
        ...found.bins.map((bin) =>
          svg(
            "circle",
            {
              class: "dot",
              cx: place(x(bin.mean_prob)),
              cy: place(y(bin.accuracy)),
              r: place(3 + Math.sqrt(bin.count) / 2),
            },
            svg(
              "title",
              {},
              `${two(bin.mean_prob)} said, ${two(bin.accuracy)} right, ${
                many(bin.count, "question")
              }`,
            ),
          )
        ),
      ],
    ),
    el(
      "p",
      { class: "note" },
      "A larger dot is more questions; on the line a probability is true.",
    ),
  );
}

function thresholds() {
  const found = data.thresholds;
  if (!found) return;
  const at = found.points.map((point) => point.threshold);
  const lines = [["accuracy", "answering or not is right", "first"], [
    "answerable_f1",
    "F1 where there is an answer",
    "dotted",
  ]];
  const all = found.used === null ? at : [...at, found.used];
  section(
    "The no-answer threshold",
    el(
      "p",
      {},
      "What every threshold would do on these questions. Moving it right withholds less. ",
      "Solid: answering or not is the right choice. Dotted: F1 where there is an answer.",
    ),
    axes(
      "Accuracy and F1 by threshold",
      {
        domain: [Math.min(...all), Math.max(...all) + 1e-9],
        title: "threshold on score_diff = null - best",
      },
      { domain: [0, 100], title: "percent" },
      (x, y) => [
        ...lines.map(([key, name, look]) =>
          svg(
            "path",
            {
              class: `curve ${look}`,
              d: path(found.points.map((point) => [x(point.threshold), y(point[key])])),
            },
            svg("title", {}, name),
          )
        ),
        ...(found.used === null ? [] : [
          svg("line", { class: "used", x1: x(found.used), x2: x(found.used), y1: 12, y2: 256 }),
        ]),
      ],
    ),
    ...(found.used === null
      ? []
      : [el("p", { class: "note" }, `The dashed line is the one in use, ${two(found.used)}.`)]),
  );
}

head();
lists();
pair();
kinds();
groups();
restsOn();
calibrated();
thresholds();
questions();
follow();
