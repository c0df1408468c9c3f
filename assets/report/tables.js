// What the report says in tables: lists, two readers, changed questions, what answers rest on.

import { el, row } from "./shared/dom.js";
import { fixed, grouped, signed } from "./shared/numbers.js";
import { many, range, star } from "./charts.js";
import { data, note, section } from "./data.js";
import { press } from "./questions.js";

const one = (x) => fixed(x, 1);
const two = (x) => fixed(x, 2);

/** Words that a name has under it. @param {string} name @param {string} says */
export const meant = (name, says) => el("span", name, el("span.meaning", says));

/** Heads of columns that each reader has. @param {string[]} heads */
export const ofEach = (heads) =>
  data.pair ? data.names.flatMap((name) => heads.map((head) => `${head}, ${name}`)) : heads;

/**
 * A table; from column `numbers` on its cells are numbers.
 * @param {string} caption
 * @param {any[]} head
 * @param {any[][]} rows
 */
export function table(caption, head, rows, numbers = 1) {
  const kind = (name, k) => (k >= numbers ? `${name}.number` : name);
  const cells = (list) => list.map((cell, k) => el(kind("td", k + 1), cell));
  return el(
    "div.wide",
    el(
      "table",
      el("caption", el("span", caption)),
      el("thead", el("tr", head.map((text, k) => el(`${kind("th", k)}[scope=col]`, text)))),
      el("tbody", rows.map(([name, ...more]) => row(name, cells(more)))),
    ),
  );
}

/** Answers that are lists, by MultiSpanQA's measures. */
export function lists() {
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
    note(
      "MultiSpanQA’s measures, in percent, over the questions whose answer is a list. Whole: every answer and nothing else. Overlap counts the shared part of a span.",
    ),
    table("Percent", ["", "lists", "whole", ...measures], rows),
  );
}

export function pair() {
  const found = data.pair;
  if (!found) return;
  const [a, b] = data.names;
  const limit = (x) => x === null ? "none" : two(x);
  const difference = (x) => `${signed(x.value)} (${range(x)})`;
  const { count, of, least } = data.drawn;
  const verdict = ({ f1_difference: { told, value } }) => {
    if (count < least) return `cannot be told: only ${many(count, of.slice(0, -1))}`;
    return told ? `${value > 0 ? a : b} is better` : "not told apart";
  };
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
    el(
      "p",
      "Exactly right, each at the threshold it was run with: ",
      `both ${grouped(found.both)}, only ${a} ${grouped(found.only_a)}, `,
      `only ${b} ${grouped(found.only_b)}, neither ${grouped(found.neither)}.`,
    ),
    note(
      `Better: the interval of the difference of F1 leaves out 0, and a sign-flip test over the ${of} `,
      `(p ≤ 0.05, which needs ${least} of them) agrees. The same draws serve both readers, so that `,
      "what a question costs both is not counted as a difference.",
    ),
  );
}

/** How many right answers survive each rule of perturb. */
export function changed() {
  if (!data.changed[0].length) return;
  const says = ({ survived, right, share }) =>
    share ? `${grouped(survived)} of ${grouped(right)} (${range(share, 1)})` : "none was right";
  /** A button that shows the changed question; an id would be wider than the table. */
  const lost = (id, k) =>
    el(
      "button",
      { title: id, "aria-label": `${k + 1}: ${id}`, onclick: () => press({ text: id }) },
      k + 1,
    );
  section(
    "Changed questions",
    table(
      "Right answers that are still right after the change, with a 95 % interval of their percentage, and some lost ones",
      ["change", "pairs", ...ofEach(["still right", "lost"])],
      data.changed[0].map(({ rule, says: means, pairs }, k) => [
        meant(rule, means),
        grouped(pairs),
        ...data.changed.flatMap((of) => [says(of[k]), of[k].lost.map(lost)]),
      ]),
    ),
    note("The totals above count these twins too; “Changed question” below has each change apart."),
  );
}

/** What the explained answers rested on, by parts of the texts. */
export function restsOn() {
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
        `By ${found.method}: what the words of each part add to the score of the best span, in `,
        "logits; the mean over the explained questions that have such words, with its 95 % interval. ",
        both ? "A star marks a difference of right and wrong that is told apart from 0. " : "",
        found.incomplete
          ? `For ${many(found.incomplete, "question")} the sum stayed 2 % or more off F(x) − F(x′).`
          : "",
      ),
      table(
        "Logits",
        ["part", ...beside(heads, "right minus wrong")],
        found.parts.map(({ name, means, values, difference }) => [
          meant(name, means),
          ...beside(values.map(said), `${said(difference)}${star(difference)}`),
        ]),
      ),
    );
  });
}
