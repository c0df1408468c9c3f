// The table of questions: what it shows stands in the address, and each row opens its readings.

import { address, caseLink, holds, isKind, settingsOf } from "./shared/case.js";
import { choice } from "./shared/controls.js";
import { el, headRow, put } from "./shared/dom.js";
import { fixed, probability } from "./shared/numbers.js";
import { sideBySide } from "./shared/side_by_side.js";
import { many } from "./charts.js";
import { data, section } from "./data.js";

const PAGE = 50;
/**
 * The filter and the opened question, all of it in the address behind #; `slice` is a title of
 * data.groups, `open` an id.
 */
const EMPTY = { kind: "", pair: "", slice: "", group: "", text: "", sort: "file", open: "" };
const state = { ...EMPTY, from: 0 };
let fill = () => {};

const two = (x) => fixed(x, 2);

/** Show the questions of one group below, and go there. */
export function press(change) {
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
  const text = address(Object.fromEntries(kept.map(([key]) => [key, state[key]])));
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

const RIGHTS = {
  "both right": (row) => row.exact === 1 && row.other.exact === 1,
  "only the first right": (row) => row.exact === 1 && row.other.exact !== 1,
  "only the second right": (row) => row.exact !== 1 && row.other.exact === 1,
  "both wrong": (row) => row.exact !== 1 && row.other.exact !== 1,
};
/** By what "surest first" sorts: the best chance that the lines hold. */
const SUREST = {
  claim: "surest first, by the chance that the best span is right",
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
  const group = data.groups[slice]?.rows.findIndex(({ name }) => name === state.group);
  const rows = data.rows.filter((row) =>
    (!state.kind || isKind(row.kind, state.kind)) &&
    (!state.pair || RIGHTS[state.pair](row)) &&
    (slice < 0 || row.groups[slice] === group) &&
    (!wanted || holds(row, wanted))
  );
  return SORTS[state.sort] ? rows.toSorted(SORTS[state.sort]) : rows;
}

/** The case in Spanlight, at the chapter that shows its cause; the page reads it from after #. */
function link(row) {
  const { question, ranges, chapter, span } = row, context = data.contexts[row.context];
  return data.page +
    caseLink({ question, context, ranges }, chapter, { ...settingsOf(data.run), span });
}

function questionRow(row) {
  const missing = (text) => el("em", text);
  const open = state.open === row.id;
  const toggle = el("button.opener", {
    type: "button",
    "aria-expanded": String(open),
    "aria-label": `Open ${row.question}`,
    "data-id": row.id,
    onclick: () => {
      state.open = open ? "" : row.id;
      show();
      const again = document.querySelector(`[data-id="${CSS.escape(row.id)}"]`);
      /** @type {HTMLElement | null} */ (again)?.focus();
    },
  }, open ? "−" : "+");
  const to = el("a", { href: link(row), target: "_blank", rel: "noopener" }, row.question);
  const cells = [
    el("td", toggle, " ", to),
    el("td", row.gold.length ? row.gold.join(" | ") : missing("no answer")),
    el("td", row.answer ?? missing(row.n.length ? "withheld" : "nothing")),
    el(
      "td",
      row.because && row.kind === "gold not reachable" ? `${row.kind} (${row.because})` : row.kind,
    ),
    el("td.number", two(row.f1)),
    el("td.number", row.probability === null ? "" : probability(row.probability, 2)),
  ];
  if (row.other) {
    cells.push(el("td", row.other.answer ?? missing("withheld")));
    cells.push(el("td.number", two(row.other.f1)));
  }
  return [el("tr", cells), open && el("tr", el("td", { colspan: cells.length }, opened(row)))];
}

/** The readings of one question, side by side. */
function opened(row) {
  const readings = [row, row.other].filter(Boolean);
  return sideBySide(
    data.contexts[row.context],
    row.ranges,
    readings.map((one, k) => ({ ...one, name: data.names[k] })),
  );
}

export function questions() {
  const body = el("tbody");
  const shown = el("p[aria-live=polite]");
  const earlier = el("button[type=button]", { onclick: () => turn(-PAGE) }, "Previous");
  const later = el("button[type=button]", { onclick: () => turn(PAGE) }, "Next");
  const head = ["question", "right", "answer", "kind", "F1", "probability"];
  if (data.pair) head.push(`answer of ${data.names[1]}`, "F1");

  const group = el("span");
  const only = () =>
    state.slice && [
      `${state.slice}: ${state.group} `,
      el("button[type=button]", { onclick: () => press({}) }, "Show all"),
    ];
  fill = () => {
    for (const key of ["kind", "pair", "sort", "text"]) {
      const field = /** @type {any} */ (document.getElementById(key));
      if (field) field.value = state[key];
    }
    put(group, only());
    const rows = matching();
    state.from = Math.max(0, Math.min(state.from, PAGE * Math.floor((rows.length - 1) / PAGE)));
    const part = rows.slice(state.from, state.from + PAGE);
    put(body, part.map(questionRow));
    shown.textContent = rows.length
      ? `${state.from + 1} to ${state.from + part.length} of ${many(rows.length, "question")}`
      : "No question fits.";
    earlier.disabled = state.from === 0;
    later.disabled = state.from + PAGE >= rows.length;
  };
  const change = (to) => {
    Object.assign(state, to);
    show();
  };
  const turn = (by) => {
    change({ from: state.from + by });
    // a button that has just been disabled would drop the focus
    (earlier.disabled ? later : later.disabled ? earlier : null)?.focus();
  };
  const choose = (label, key, options) =>
    el(
      "span",
      el("label", { for: key }, label),
      " ",
      choice({ id: key }, options, state[key], (value) => change({ [key]: value, from: 0 })),
    );
  const search = el("input#text[type=search]", {
    oninput: (event) => change({ text: event.target.value, from: 0 }),
  });
  const kindNames = data.kinds.flatMap(({ name, of: [found] }) =>
    found ? [[name, `${name} (${found.count})`]] : []
  );
  const made = section(
    "Every question",
    el(
      "p",
      "A question opens in Spanlight at ",
      el("code", data.page),
      ", at the chapter that shows the cause; start it with the same reader.",
    ),
    el(
      "div.filters",
      choose("Kind", "kind", [["", "all"], ["wrong", "all but right"], ...kindNames]),
      data.pair &&
        choose("Readers", "pair", [["", "all"], ...Object.keys(RIGHTS).map((key) => [key, key])]),
      choose(
        "Order",
        "sort",
        Object.keys(SORTS).map((key) => [key, key === "file" ? "as in the file" : key]),
      ),
      el("span", el("label[for=text]", "Holds the text"), " ", search),
      group,
    ),
    shown,
    el("div.wide", el("table.questions", headRow(head), body)),
    el("div.filters", earlier, later),
  );
  made.id = "questions";
  made.tabIndex = -1;
  fill();
}

/** Show what the address asks for, now and whenever it changes. */
export function follow() {
  restore();
  fill();
  addEventListener("hashchange", () => {
    restore();
    fill();
  });
}
