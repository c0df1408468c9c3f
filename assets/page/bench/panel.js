// The bench: a table of typed numbers, what follows from each beside it, and all that follows from
// them below. The chapters under it draw the same numbers with their own pictures.

import { refuse } from "../shared/cause.js";
import { choice, grouped, textBox } from "../shared/controls.js";
import { el, focusIn, fold, grid, row, table } from "../shared/dom.js";
import { post } from "../shared/outbox.js";
import { hear, say, state } from "../shared/store.js";
import { readable } from "./boxes.js";
import { makePencil } from "./pencil.js";

const SWITCH = "benching";
const TAGS = ["B", "I", "O"];

/** @type {any} */
const view = {
  contents: null,
  given: new Map(), // what Python said stands in each box
  typed: new Map(), // what was typed over it since
};

const isOn = () => document.body.classList.contains(SWITCH);
const send = (name, value) => {
  if (name !== "change") view.typed.clear();
  post(`bench ${name}`, view.trigger, "input", { index: name, value: value ?? true });
};

/** Open or close the panel without asking Python for anything. */
function show(on) {
  if (isOn() === on) return;
  view.silent = true;
  document.body.classList.toggle(SWITCH, on);
  say("look", SWITCH);
  view.silent = false;
}

/**
 * All that is typed, as Python reads it.
 * @param {ParentNode} root
 * @param {any} desk
 */
export function typed(root, desk) {
  const box = (name) =>
    /** @type {HTMLInputElement | null} */ (root.querySelector(`[data-box="${name}"]`))?.value ??
      "";
  const side = (name) =>
    desk.windows.map((one, w) => one.names.map((_, k) => box(`${name} ${w} ${k}`)));
  return {
    tokens: desk.tokens.map((_, k) => box(`token ${k}`)),
    start: side("start"),
    end: side("end"),
    tags: desk.tags && desk.tokens.map((_, k) => TAGS.map((tag) => box(`${tag} ${k}`))),
    golds: box("golds"),
    step: desk.step,
    typed: desk.typed,
  };
}

function changed({ target }) {
  clearTimeout(view.timer);
  view.chosen = null;
  view.last = target.dataset.box;
  view.typed.set(view.last, { over: view.given.get(view.last), text: target.value });
  view.timer = setTimeout(() => send("change", typed(view.root, view.desk)), 350);
}

/** Why the typed numbers cannot be used: below the tables, where it covers no number. Each box that
 * cannot be read is marked, else the last one; what older numbers gave stands back.
 */
function refused(text) {
  const boxes = /** @type {HTMLInputElement[]} */ ([...view.inner.querySelectorAll("[data-box]")]);
  const bad = boxes.filter((box) => !readable(box.value, box.dataset.box ?? ""));
  const marked = bad.length ? bad : boxes.filter((box) => box.dataset.box === view.last);
  refuse(view.inner.querySelector(".bench-golds") ?? view.inner, text);
  view.inner.querySelectorAll("[aria-invalid]").forEach((one) =>
    one.removeAttribute("aria-invalid")
  );
  if (text) marked.forEach((box) => box.setAttribute("aria-invalid", "true"));
  view.inner.classList.toggle("refused", Boolean(text));
}

const shape = (more) => {
  const { desk } = view;
  view.chosen = null;
  send("shape", { n: desk.tokens.length, step: desk.step, tagged: desk.tags !== null, ...more });
};

/** A box; its name tells what is typed there. An answer to what was typed before leaves alone what
 * is typed since.
 */
function box(name, value, label, more = {}) {
  const since = view.typed.get(name);
  if (since && since.over !== value) view.typed.delete(name);
  view.given.set(name, value);
  return textBox("input.bench-number", {
    value: view.typed.get(name)?.text ?? value,
    dataset: { box: name },
    "aria-label": label,
    oninput: changed,
    ...more,
  });
}

/** The bar above the table: which case, how many tokens, what is typed. */
function bar() {
  const { desk, contents: { presets, sizes } } = view;
  /** @type {[string, any[][]][]} */
  const groups = [...new Set(presets.map(({ group }) => group))].map((name) => [
    name,
    presets.filter(({ group }) => group === name).map(({ id, title }) => [id, title]),
  ]);
  const menu = el(
    "select",
    {
      id: "bench-presets",
      onchange: (event) => {
        const one = presets.find(({ id }) => id === event.target.value);
        view.chosen = one.id;
        view.about = null;
        send("preset", one.id);
        view.inner.classList.add("refused"); // these numbers are not yet the case's
        say("go", one.chapter);
      },
    },
    el("option", { value: "", disabled: true, selected: !view.chosen }, "choose a case"),
    grouped(groups, view.chosen),
  );
  const n = desk.tokens.length;
  const steps = Array.from(
    { length: Math.floor(n / 2) },
    (_, k) => [k + 1, `from token ${k + 2} on`],
  );
  const second = choice(
    { id: "bench-step" },
    [["", "none"], ...steps],
    desk.step ?? "",
    (step) => shape({ step: step || null }),
  );
  const kinds = [["logits", "logits"], ["probabilities", "probabilities"]];
  const kind = choice({ id: "bench-typed" }, kinds, desk.typed, (name) => send("as", name));
  const more = (text, by) =>
    el("button.boxed.plain", {
      disabled: n + by < sizes[0] || n + by > sizes[1],
      "aria-label": by > 0 ? "one token more" : "one token less",
      onclick: () => shape({ n: n + by }),
    }, text);
  return el(
    "div.bench-bar",
    el("label", "Case ", menu),
    el("label", "Type ", kind),
    el("span[role=group][aria-label=Tokens]", "Tokens ", more("−", -1), ` ${n} `, more("+", 1)),
    el("label", "Second window ", second),
    el(
      "label",
      el("input#bench-tags[type=checkbox]", {
        checked: desk.tags !== null,
        onchange: (event) => shape({ tagged: event.target.checked }),
      }),
      " tags B, I, O",
    ),
  );
}

const cell = (text, kind = "") => el(`td.num.${kind}`, text);

/** The rows of one window: [CLS], then its tokens. */
function windowRows(one, w) {
  const { desk } = view;
  const marked = one.start.t !== null;
  return one.names.map((name, k) => {
    const doc = one.first + k - 1;
    const where = `${k ? `token ${doc + 1}` : "[CLS]"}${
      desk.step === null ? "" : `, window ${w + 1}`
    }`;
    const first = w === 0 || doc >= desk.windows[0].first + desk.windows[0].names.length - 1;
    const side = (which) => {
      const it = one[which];
      return [
        box(`${which} ${w} ${k}`, it.typed[k], `${which} of ${where}`, {
          inputmode: "text",
          class: `bench-number ${which}`,
        }),
        cell(it.p[k], `role-${which}`),
        ...(marked ? [cell(it.t[k]), cell(it.slope[k])] : []),
      ];
    };
    const token = k && first
      ? box(`token ${doc}`, desk.tokens[doc], `word of ${where}`, { class: "bench-word" })
      : el("bdi", name);
    return row(
      k ? doc + 1 : "0",
      [el("td.bench-token", token), side("start"), side("end")],
      k && !one.owned[k] ? "not-owned" : null,
    );
  });
}

function windowTable(one, w) {
  const { desk } = view;
  const marked = one.start.t !== null;
  const of = desk.step === null ? "" : `Window ${w + 1}: `;
  const head = (side) => [
    desk.typed === "logits" ? `${side} logit` : `${side} typed`,
    `P(${side})`,
    ...(marked ? ["target t", "p − t"] : []),
  ];
  return grid("table.bench-table", {
    caption: `${of}start and end of every position`,
    head: ["no.", "token", ...head("start"), ...head("end")],
    rows: windowRows(one, w),
  });
}

function tagTable() {
  const { desk } = view;
  if (!desk.tags) return null;
  const marked = desk.tags[0].t !== null;
  const cells = (of, k) =>
    TAGS.flatMap((tag, c) => [
      box(`${tag} ${k}`, of.typed[c], `${tag} of token ${k + 1}`),
      cell(of.p[c]),
      marked ? cell(of.t[c]) : null,
    ]);
  return grid("table.bench-table", {
    caption: "Tags of every token",
    head: ["no.", "token", ...TAGS.flatMap((tag) => [tag, `P(${tag})`, ...(marked ? ["t"] : [])])],
    rows: desk.tags.map((of, k) =>
      row(k + 1, [el("td.bench-token", el("bdi", desk.tokens[k])), cells(of, k)])
    ),
  });
}

function annotators() {
  return el(
    "p.bench-golds",
    el(
      "label",
      "Right, for each annotator ",
      box("golds", view.desk.golds, "tokens that each annotator marks as right", {
        class: "bench-wide",
        placeholder: "such as 1-2, 3, none",
      }),
    ),
    el("span.role-quiet", " tokens by number, a comma between two annotators"),
  );
}

function follows() {
  const { desk } = view;
  return el(
    "div.bench-follows",
    el("dl", desk.lines.map(([name, value]) => el("div", el("dt", name), el("dd", value)))),
    desk.rules ? table(desk.rules) : null,
  );
}

/** The frame stays, so that a box keeps the focus and what is being typed. */
function build() {
  const pencil = makePencil({
    exercise: (number) => send("exercise", number),
    lay: (number) => {
      view.chosen = null;
      view.about = "The exercise’s logits. Its answer is what it took as right.";
      send("lay", number);
    },
  });
  const ontoggle = () => fresh.open && !pencil.root.firstChild && send("exercise", 0);
  const about = { id: "bench-pencil", ontoggle };
  const fresh = fold("a reader small enough for a pencil", pencil.root, about);
  Object.assign(view, { pencil, inner: el("div"), said: el("p.bench-about") });
  view.root.replaceChildren(
    el(
      "section.bench[aria-label=Bench]",
      el(
        "div.bench-head",
        el("h2", "Bench: numbers of your own"),
        el(
          "button.plain",
          { onclick: () => document.getElementById(`switch-${SWITCH}`)?.click() },
          "put away",
        ),
      ),
      view.said,
      view.inner,
      el("div.folds", fresh),
    ),
  );
}

function draw() {
  const { inner } = view;
  if (!inner.querySelector("[aria-invalid]")) inner.classList.remove("refused");
  const one = view.contents.presets.find(({ id }) => id === view.chosen);
  view.said.textContent = view.about ?? one?.about ??
    "Type start and end logits, or probabilities, from a book or an exam. No model runs: all nine chapters below show these numbers.";
  const held = focusIn(inner);
  const [name, id] = [held?.dataset.box, held?.id];
  const label = held?.ariaLabel;
  const box = held instanceof HTMLInputElement ? held : null;
  const at = box?.type === "text" ? box.selectionStart : null;
  const text = box?.value ?? "";
  inner.replaceChildren(
    bar(),
    el(
      "div.bench-body",
      el("div.bench-tables", view.desk.windows.map(windowTable), tagTable(), annotators()),
      follows(),
    ),
  );
  if (!held) return;
  const isIt = (node) =>
    name ? node.dataset.box === name : id ? node.id === id : node.ariaLabel === label;
  const again = [...inner.querySelectorAll("input, select, button")].find(isIt);
  if (!(again instanceof HTMLElement)) return;
  if (name && again instanceof HTMLInputElement) again.value = text; // as typed: "0," is on its way
  again.focus({ preventScroll: true });
  if (again instanceof HTMLInputElement && at !== null) again.setSelectionRange(at, at);
}

/** Who came from a chapter stands at the menu of cases, once it is there. */
function land() {
  const menu = document.getElementById("bench-presets");
  if (!view.lands || !menu) return;
  view.lands = false;
  menu.focus({ preventScroll: true });
}

function start(data) {
  view.contents = data;
  build();
  hear("look", (name) => {
    if (name === SWITCH && !view.silent) send(isOn() ? "open" : "close");
  });
  // another text came: its numbers are not typed ones
  hear("reading", (reading) => {
    if (!reading.typed) {
      view.about = null;
      show(false);
    }
  });
  hear("bench", () => {
    if (!isOn()) document.getElementById(`switch-${SWITCH}`)?.click();
    else if (state.chapter === "bio" && view.desk && !view.desk.tags) shape({ tagged: true });
    view.root.scrollIntoView({ block: "start" });
    view.lands = true;
    land();
  });
}

/** The numbers of an exercise, once the bench is open. */
hear("bench-task", (task) => {
  if (!isOn()) document.getElementById(`switch-${SWITCH}`)?.click();
  Object.assign(view, { chosen: null, about: null });
  send("task", task);
});

export function updateBench(root, data, trigger) {
  Object.assign(view, { root, trigger });
  if (data.presets && !view.contents) start(data);
  if (data.refused !== undefined) refused(data.refused);
  if (data.pencil) view.pencil.update(data.pencil);
  if (data.desk) {
    view.desk = data.desk;
    if (state.reading?.typed !== false) show(true);
    draw();
    land();
  }
}
