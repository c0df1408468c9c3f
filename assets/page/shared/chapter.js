// The frame of one chapter: question, finding, the picture (drawn by its own module), selection,
// formula and folds.

import { el, focusIn, fold, offers, pressRows, put, table } from "./dom.js";
import { bestOf } from "./examples.js";
import { finding } from "./finding.js";
import { formula } from "./formula.js";
import { codeFold } from "./take_code.js";
import { pictureFold } from "./take_picture.js";
import { tableTools } from "./take_table.js";
import { lockControls, refuses } from "./lock.js";
import { leaving, marks } from "./marks.js";
import { post, underWay } from "./outbox.js";
import { layOutForPaper, onPaper } from "./paper.js";
import { hear, openExample, sameWords, say, select, state, textOf } from "./store.js";

/** The chapters whose pictures the bench of a few tokens can fill. */
const BENCHED = ["scores", "start_end", "spans", "loss", "windows", "bio"];

let scale = 1;

const chapters = new Map();
const TOUCHED = [
  "click",
  "dblclick",
  "pointerdown",
  "pointermove",
  "pointerover",
  "pointerleave",
  "keydown",
  "focusin",
  "focusout",
  "input",
  "change",
  "toggle",
];

const pageFor = (view) => ({
  // reading, selection, prediction and answer are those of the page, as they are now
  __proto__: state,
  get theme() {
    return document.body.classList.contains("dark") ? "dark" : "light";
  },
  get scale() {
    return scale;
  },
  get width() {
    return view.picture.clientWidth;
  },
  get narrow() {
    return !onPaper() && window.innerWidth < 640;
  },
  colour: (role) => getComputedStyle(document.body).getPropertyValue(`--sl-${role}`).trim(),
  select,
  input: (name, value, kind = name) =>
    refuses(name) ||
    post(`${view.key} ${kind}`, view.trigger, "input", { index: name, value }),
  /** Whether such an input waits or is on its way. @param {string} kind */
  waits: (kind) => underWay(`${view.key} ${kind}`),
  open: openExample,
  /** The sentence of the open step, where each has its own. @param {string | undefined} text */
  notice: (text) => text && view.notice.say(text),
});

function skeleton(root, key) {
  /** @type {any} */
  const view = { key, root, width: 0 };
  view.formula = el("div.formula-line");
  view.chosen = el("p.selection-line");
  view.question = el("h2.question");
  view.picture = el("div.stage", { id: `stage-${key}` });
  view.marks = marks(view.picture);
  leaving(view.picture, key);
  view.text = el("p.reading-text.veil-text[dir=auto][tabindex=0]");
  view.notice = finding();
  view.tables = el("div");
  view.best = el("div.best-examples");
  view.simplified = el("ul");
  view.page = pageFor(view);
  root.replaceChildren(
    el("div.chapter-head", view.question, view.notice.root),
    el(
      "div.veil-area",
      view.picture,
      view.text,
      view.marks.node,
      el("div.numbers", view.formula, view.chosen),
      el(
        "div.folds",
        fold("as a table", view.tables),
        pictureFold(view),
        fold("what is simplified", view.simplified),
        codeFold(key, view.page),
        BENCHED.includes(key)
          ? el("button.plain.to-bench", { onclick: () => say("bench") }, "with numbers of your own")
          : null,
      ),
      view.best,
    ),
  );
  // A picture of the reading before knows other words: until its successor is here nothing in it
  // may be drawn again or sent.
  TOUCHED.forEach((kind) =>
    view.picture.addEventListener(kind, (event) => {
      if (stale(view)) event.stopPropagation();
    }, true)
  );
  new ResizeObserver(() => {
    if (root.clientWidth && root.clientWidth !== view.width) schedule(view);
  }).observe(root);
  return view;
}

function schedule(view) {
  if (view.due) return;
  view.due = true;
  requestAnimationFrame(() => {
    view.due = false;
    draw(view);
  });
}

// Other numbers of the same words (a slider, a logit by hand) fit the picture as it is: no event
// may be lost for them.
const stale = ({ drawn }) => Boolean(drawn && state.reading) && !sameWords(drawn, state.reading);

const age = (view) => view.root.classList.toggle("stale", stale(view));

// Reading, record and picture come one by one. A width makes the browser lay the page out: only the
// open chapter is asked for it.
function ready(view) {
  const { chapter, reading, record } = state;
  return chapter === view.key && view.module && view.data?.stamp &&
    [reading, record].every((one) => one?.stamp === view.data.stamp) && view.root.clientWidth > 0;
}

/** The question; said again by a redraw it stays, with its underlined terms and a focus on one. */
function title({ question, data }) {
  if (data.question && question.textContent !== data.question) question.textContent = data.question;
}

function draw(view) {
  const { reading } = state;
  if (!reading || !ready(view)) return;
  view.width = view.root.clientWidth;
  view.drawn = reading;
  age(view);
  title(view);
  view.text.textContent = reading.context;
  view.notice.say(view.data.notice);
  put(view.tables, view.data.tables.map((t) => [table(t, view.page), tableTools(t, view.key)]));
  const best = bestOf(view.key);
  const says = el("span.role-quiet", "Texts that show it well:");
  put(view.best, best.length > 0 && [says, offers(best, view.page)]);
  put(view.simplified, view.data.simplified.map((s) => el("li", s)));
  keepingFocus(view.root, () => view.module.draw(view.picture, view.data.picture, view.page));
  lockControls(view.picture);
  view.marks.settle();
  mark(view, false);
  say("drawn", view.key);
}

/**
 * A redraw replaces nodes; whoever works by keyboard stays at the same one of its kind, however many
 * of another kind, such as marks of an axis, stand before it.
 */
function keepingFocus(root, action) {
  const before = focusIn(root);
  const kind = (node) => `${node.tagName} ${node.getAttribute("role")} ${node.classList[0]}`;
  const alike = () =>
    before
      ? [...root.querySelectorAll(before.tagName)].filter((n) => kind(n) === kind(before))
      : [];
  const at = alike().indexOf(before);
  action();
  if (at >= 0 && !focusIn(root)) alike()[at]?.focus({ preventScroll: true });
}

function mark(view, moved = true) {
  if (!ready(view)) return;
  // what is due to be drawn will be marked then
  if (view.drawn !== state.reading) return schedule(view);
  const chosen = state.selection;
  const record = chosen?.record;
  if (record || !chosen) view.formula.replaceChildren(formula(record?.formulas?.[view.key]));
  put(view.chosen, line(chosen, record));
  pressRows(view.tables, chosen);
  if (!moved) return;
  if (view.module.select) view.module.select(view.picture, view.data.picture, view.page);
  else keepingFocus(view.root, () => view.module.draw(view.picture, view.data.picture, view.page));
  view.marks.settle();
}

function line(chosen, record) {
  if (!chosen) return el("span.role-quiet", "Nothing is selected.");
  const text = textOf(chosen);
  const at = record
    ? ` i = ${record.i}, j = ${record.j}${
      record.windows > 1 ? ` in window ${record.window + 1} of ${record.windows}` : ""
    }`
    : "";
  return [
    el("span.role-quiet", "selected "),
    el("bdi.selected-text", {
      title: text,
      "data-span": record ? `${record.window} ${record.start} ${record.end}` : null,
    }, text),
    el("span.role-quiet.tabular", at),
    record?.flag && el("span.flag", record.flag),
  ];
}

/**
 * Draw again whatever is on screen: the theme or the scale changed, or another chapter came to the
 * front.
 */
export function redraw() {
  chapters.forEach((view) => {
    age(view);
    schedule(view);
  });
}

/** How large the page is set: 1, or what present mode makes of the window (page.css). */
function measure() {
  const before = scale;
  scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  return scale !== before;
}

measure();
globalThis.addEventListener("resize", () => {
  if (measure()) redraw();
});
hear("look", measure);

layOutForPaper(() => {
  measure();
  chapters.forEach(draw);
});

hear("selection", () => chapters.forEach((view) => mark(view)));
hear("reading", redraw);
hear("look", redraw);
hear("opened", redraw);

// The open chapter's modules come first: beside those of the eight others they came half a second
// later. The others follow once something is drawn, or once they are opened.
let others = false;

function fetchModule(view) {
  if (!view || view.asked || !(others || state.chapter === view.key)) return;
  view.asked = true;
  import(`../${view.key}/chapter.js`).then((module) => {
    view.module = module;
    schedule(view);
  });
}

hear("opened", (key) => fetchModule(chapters.get(key)));
hear("drawn", () => {
  if (others) return;
  others = true;
  chapters.forEach(fetchModule);
});

export function updateChapter(root, data, trigger) {
  let view = chapters.get(data.chapter);
  if (!view) {
    view = skeleton(root, data.chapter);
    chapters.set(data.chapter, view);
    fetchModule(view);
  }
  view.trigger = trigger;
  const now = state.reading?.stamp;
  // a late answer about an earlier reading
  if (now && view.data?.stamp === now && data.stamp < now) return;
  // an answer travels with one picture only: it is heard before another takes that one's place
  if (view.due && view.data?.picture?.reply) draw(view);
  view.data = data;
  title(view);
  schedule(view);
}
