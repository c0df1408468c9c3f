// The report on a file of predictions: pictures, and a table to filter. Every text of a file or a
// reader becomes a page through textContent only.

import { axes, bars, el, leavesOutZero, many, mark, path, range, signed } from "./charts.js";
import { fixed, grouped, place, probability } from "../page/shared/numbers.js";

const holder = /** @type {HTMLElement} */ (document.getElementById("data"));
const data = JSON.parse(String(holder.textContent));
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const PAGE = 50;
/** Below so many articles (or paragraphs) the bootstrap's intervals are known to be too short. */
const FEW = 20;
/** The filter, all of it in the address behind #; `slice` is a title of data.groups. */
const EMPTY = { kind: "", pair: "", slice: "", group: "", text: "", sort: "file" };
const state = { ...EMPTY, from: 0 };
let fill = () => {};

const one = (x) => fixed(x, 1);
const two = (x) => fixed(x, 2);

function section(title, ...children) {
  const made = el("section", {}, el("h2", {}, title), ...children);
  main.append(made);
  return made;
}

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

/** Show the questions of one group below, and go there. */
function press(change) {
  Object.assign(state, EMPTY, change, { from: 0 });
  show();
  const list = /** @type {HTMLElement} */ (document.getElementById("questions"));
  list.scrollIntoView();
  list.focus({ preventScroll: true });
}

/** Fill the table and keep the filter in the address. */
function show() {
  fill();
  const kept = Object.entries(EMPTY).filter(([key, value]) => state[key] !== value);
  const text = kept.map(([key]) => `${key}=${encodeURIComponent(state[key])}`).join("&");
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

/** The filter that an address holds; what is unknown in it is left out. */
function restore() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(EMPTY)) state[key] = given.get(key) ?? EMPTY[key];
  if (!Object.hasOwn(SORTS, state.sort)) state.sort = EMPTY.sort;
  if (!data.pair || !Object.hasOwn(RIGHTS, state.pair)) state.pair = EMPTY.pair;
  const slice = data.groups.find(({ title }) => title === state.slice);
  if (!slice?.rows.some(({ name }) => name === state.group)) state.slice = state.group = "";
  const kinds = ["wrong", ...data.kinds.map(({ name }) => name)];
  if (!kinds.includes(state.kind)) state.kind = EMPTY.kind;
  state.from = 0;
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
        mark("line", { class: "true", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
        ...found.bins.map((bin) =>
          mark(
            "circle",
            {
              class: "dot",
              cx: place(x(bin.mean_prob)),
              cy: place(y(bin.accuracy)),
              r: place(3 + Math.sqrt(bin.count) / 2),
            },
            mark(
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
          mark(
            "path",
            {
              class: `curve ${look}`,
              d: path(found.points.map((point) => [x(point.threshold), y(point[key])])),
            },
            mark("title", {}, name),
          )
        ),
        ...(found.used === null ? [] : [
          mark("line", { class: "used", x1: x(found.used), x2: x(found.used), y1: 12, y2: 256 }),
        ]),
      ],
    ),
    ...(found.used === null
      ? []
      : [el("p", { class: "note" }, `The dashed line is the one in use, ${two(found.used)}.`)]),
  );
}

// --- the table of questions --------------------------------------------------------------------

const RIGHTS = {
  "both right": (row) => row.exact === 1 && row.other.exact === 1,
  "only the first right": (row) => row.exact === 1 && row.other.exact !== 1,
  "only the second right": (row) => row.exact !== 1 && row.other.exact === 1,
  "both wrong": (row) => row.exact !== 1 && row.other.exact !== 1,
};
/** By what "surest first" sorts: the best chance that the lines hold. */
const SUREST = {
  claim: "surest first, by the chance that the answer is right",
  right_if_answerable: "surest first, by the chance that it is right if the text answers",
  in_window: "surest first, by P(start) P(end)",
}[data.surest];
const SORTS = {
  file: null,
  "F1, lowest first": (a, b) => a.f1 - b.f1,
  [SUREST]: (a, b) => (b.probability ?? -1) - (a.probability ?? -1),
  ...(data.pair ? { "largest difference of F1 first": (a, b) => gap(b) - gap(a) } : {}),
};
const gap = (row) => Math.abs(row.f1 - row.other.f1);

function matching() {
  const wanted = state.text.toLowerCase();
  const slice = data.groups.findIndex(({ title }) => title === state.slice);
  const rows = data.rows.filter((row) =>
    (!state.kind || (state.kind === "wrong" ? row.kind !== "right" : row.kind === state.kind)) &&
    (!state.pair || RIGHTS[state.pair](row)) &&
    (slice < 0 || row.groups[slice] === state.group) &&
    (!wanted ||
      [row.question, row.answer ?? "", row.id, ...row.gold].some((text) =>
        text.toLowerCase().includes(wanted)
      ))
  );
  return SORTS[state.sort] ? rows.toSorted(SORTS[state.sort]) : rows;
}

/** The case in Spanlight, at the chapter that shows its cause; the page reads it from after #. */
function link(row) {
  const { options, threshold } = data.run;
  const fields = {
    v: 1,
    q: row.question,
    p: data.contexts[row.context],
    windows: [options.max_seq_length, options.doc_stride, options.max_query_length].join("_"),
    decode: [options.max_answer_length, options.n_best_size, threshold ?? 0].join("_"),
    chapter: row.chapter,
    ...(row.span ? { span: row.span.join("_") } : {}),
    ...(row.ranges.length ? { gold: row.ranges.map((range) => range.join("-")).join("_") } : {}),
  };
  const text = Object.entries(fields).map(([name, value]) =>
    `${name}=${encodeURIComponent(value)}`
  );
  return `${data.page}#${text.join("&")}`;
}

function questionRow(row) {
  const missing = (text) => el("em", {}, text);
  const cells = [
    el("td", {}, el("a", { href: link(row), target: "_blank", rel: "noopener" }, row.question)),
    el("td", {}, row.gold.length ? row.gold.join(" | ") : missing("no answer")),
    el("td", {}, row.answer ?? missing(row.best === null ? "nothing" : "withheld")),
    el(
      "td",
      {},
      row.because && row.kind === "gold not reachable" ? `${row.kind} (${row.because})` : row.kind,
    ),
    el("td", { class: "number" }, two(row.f1)),
    el("td", { class: "number" }, row.probability === null ? "" : probability(row.probability, 2)),
  ];
  if (row.other) {
    cells.push(el("td", {}, row.other.answer ?? missing("withheld")));
    cells.push(el("td", { class: "number" }, two(row.other.f1)));
  }
  return el("tr", {}, ...cells);
}

function questions() {
  const body = el("tbody");
  const shown = el("p", { "aria-live": "polite" });
  const earlier = el("button", { type: "button", onclick: () => turn(-PAGE) }, "Previous");
  const later = el("button", { type: "button", onclick: () => turn(PAGE) }, "Next");
  const head = ["question", "right", "answer", "kind", "F1", "probability"];
  if (data.pair) head.push(`answer of ${data.names[1]}`, "F1");

  const group = el("span");
  const only = () =>
    state.slice
      ? [
        `${state.slice}: ${state.group} `,
        el("button", { type: "button", onclick: () => press({}) }, "Show all"),
      ]
      : [];
  fill = () => {
    for (const key of ["kind", "pair", "sort", "text"]) {
      const field = /** @type {any} */ (document.getElementById(key));
      if (field) field.value = state[key];
    }
    group.replaceChildren(...only());
    const rows = matching();
    state.from = Math.max(0, Math.min(state.from, PAGE * Math.floor((rows.length - 1) / PAGE)));
    const part = rows.slice(state.from, state.from + PAGE);
    body.replaceChildren(...part.map(questionRow));
    shown.textContent = rows.length
      ? `${state.from + 1} to ${state.from + part.length} of ${many(rows.length, "question")}`
      : "No question fits.";
    earlier.disabled = state.from === 0;
    later.disabled = state.from + PAGE >= rows.length;
  };
  function turn(by) {
    state.from += by;
    show();
  }
  function choose(label, key, options) {
    const select = el("select", {
      id: key,
      onchange: (event) => {
        state[key] = event.target.value;
        state.from = 0;
        show();
      },
    }, ...options.map(([value, name]) => el("option", { value }, name)));
    return el("span", {}, el("label", { for: key }, label), " ", select);
  }
  const search = el("input", {
    id: "text",
    type: "search",
    oninput: (event) => {
      state.text = event.target.value;
      state.from = 0;
      show();
    },
  });
  const kindNames = data.kinds.map(({ name, count }) => [name, `${name} (${count})`]);
  const made = section(
    "Every question",
    el(
      "p",
      {},
      "A question opens in Spanlight at ",
      el("code", {}, data.page),
      ", at the chapter that shows the cause; start it with the same reader.",
    ),
    el(
      "div",
      { class: "filters" },
      choose("Kind", "kind", [["", "all"], ["wrong", "all but right"], ...kindNames]),
      ...(data.pair
        ? [
          choose("Readers", "pair", [["", "all"], ...Object.keys(RIGHTS).map((key) => [key, key])]),
        ]
        : []),
      choose(
        "Order",
        "sort",
        Object.keys(SORTS).map((key) => [key, key === "file" ? "as in the file" : key]),
      ),
      el("span", {}, el("label", { for: "text" }, "Holds the text"), " ", search),
      group,
    ),
    shown,
    el(
      "div",
      { class: "wide" },
      el(
        "table",
        { class: "questions" },
        el("thead", {}, el("tr", {}, ...head.map((name) => el("th", { scope: "col" }, name)))),
        body,
      ),
    ),
    el("div", { class: "filters" }, earlier, later),
  );
  made.id = "questions";
  made.tabIndex = -1;
  fill();
}

head();
lists();
pair();
kinds();
groups();
calibrated();
thresholds();
restore();
questions();
addEventListener("hashchange", () => {
  restore();
  fill();
});
