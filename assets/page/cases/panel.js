// A file of predictions, opened in this browser: its failures as a list, each opened at the chapter
// that shows its cause by the reader in use.

import { fixed } from "../shared/numbers.js";
import { choice } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { ask, hear, state } from "../shared/store.js";
import { kindsOf, linkOf, matching, readFiles, WrongFile } from "./file.js";

const LISTED = 50;
const REVISION = 8;
const count = (n) => n.toLocaleString("en");

/** @type {any} */
const view = { root: null, file: null, fits: [] };

const part = (name) => view.root.querySelector(`[data-part="${name}"]`);

/** Open the case at a place of the list. */
function open(at) {
  if (!view.fits.length || !state.send) return;
  view.at = Math.max(0, Math.min(at, view.fits.length - 1));
  view.from = LISTED * Math.floor(view.at / LISTED);
  const link = linkOf(view.file.cases[view.fits[view.at]], view.file.run, view.chapters);
  ask("link", { link, n: 0 });
  fill();
}

/** Whether the reader in use made the file: true, false, or null where nothing says so. */
function sameReader() {
  const { run } = view.file, [, name, weights] = state.record?.link?.reader ?? [];
  if (!run || !name) return null;
  return run.weights && weights ? run.weights.startsWith(weights) : run.reader === name;
}

function madeBy() {
  const { run, name } = view.file;
  const used = state.record?.link?.reader?.[1] ?? "the reader in use";
  const same = sameReader();
  if (same) return "";
  if (!run) {
    return `Nothing says which reader made ${name}: choose its .run.json with it. ${used} reads the cases here.`;
  }
  if (same === null) return `The file was made by ${run.reader}.`;
  const revision = run.weights.slice(0, REVISION);
  return `The file was made by another reader, ${run.reader} (revision ${revision}); here ${used} reads the cases, so answers may differ.`;
}

const quoted = (texts) => texts.map((text) => `“${text}”`).join(" or ");

/** What the file says of the open case. */
function about() {
  const one = view.file.cases[view.fits[view.at]];
  if (!one) return [];
  const said = one.answer !== null
    ? [el("bdi", `“${one.answer}”`)]
    : one.best
    ? ["withheld, best guess ", el("bdi", `“${one.best.text}”`)]
    : ["nothing"];
  return [
    el("p", el("strong", one.kind), `: ${view.meaning.get(one.kind) ?? ""}`),
    el(
      "p",
      "Right: ",
      one.gold.length ? el("bdi", quoted(one.gold)) : "no answer",
      ". In the file: ",
      said,
      `, F1 ${fixed(one.f1)}.`,
    ),
  ];
}

function rows() {
  return view.fits.slice(view.from, view.from + LISTED).map((k, i) => {
    const one = view.file.cases[k], at = view.from + i;
    return el(
      "li",
      { value: at + 1 },
      el("button.plain", {
        "aria-current": at === view.at ? "true" : null,
        onclick: () => open(at),
      }, el("bdi", one.question)),
      el("span.role-quiet", one.kind),
    );
  });
}

/** Everything that follows from the file, the filter and the open case. */
function fill() {
  if (!view.file) return;
  const n = view.fits.length, here = view.at + 1, held = document.activeElement;
  part("place").textContent = !n
    ? "no question fits"
    : here
    ? `${count(here)} of ${count(n)}`
    : `${count(n)} question${n === 1 ? "" : "s"}`;
  part("previous").disabled = view.at <= 0;
  part("next").disabled = !n || here >= n;
  // a button that has just been disabled would drop the focus
  if (held?.matches(":disabled")) part(held === part("next") ? "previous" : "next").focus();
  part("about").replaceChildren(...about());
  part("reader").textContent = madeBy();
  part("list").replaceChildren(...rows());
  part("earlier").hidden = view.from === 0;
  part("later").hidden = view.from + LISTED >= n;
}

/** Another filter: the case that is open stays open where it fits. */
function filter(change = {}) {
  const open = view.fits[view.at];
  Object.assign(view, change);
  view.fits = matching(view.file.cases, view.kind, view.letters);
  view.at = view.fits.indexOf(open);
  view.from = LISTED * Math.floor(Math.max(0, view.at) / LISTED);
  fill();
}

function turn(by) {
  view.from = Math.max(0, view.from + by);
  fill();
  part("list").querySelector("button")?.focus();
}

function close() {
  view.file = null;
  view.fits = [];
  document.body.classList.remove("has-cases");
  part("strip").replaceChildren();
  part("said").textContent = "";
  const box = part("file");
  box.value = "";
  if (box.checkVisibility()) box.focus();
}

const button = (name, label, onclick, more = {}) =>
  el("button.side", { dataset: { part: name }, onclick, ...more }, label);

/** The bar above the chapters while a file is open. */
function strip() {
  const { name, cases } = view.file;
  const wrong = kindsOf(cases, [...view.meaning.keys()]);
  const options = [
    ["wrong", `failures (${count(wrong.reduce((sum, [, n]) => sum + n, 0))})`],
    ...wrong.map(([kind, n]) => [kind, `${kind} (${count(n)})`]),
    ["all", `every question (${count(cases.length)})`],
  ];
  part("strip").replaceChildren(
    el(
      "div.cases-bar",
      el("strong", el("bdi", name)),
      choice({ "aria-label": "Kind of error" }, options, view.kind, (kind) => filter({ kind })),
      el("input[type=search]", {
        placeholder: "letters",
        "aria-label": "Letters in a question or an answer",
        oninput: ({ target }) => filter({ letters: target.value }),
      }),
      button("previous", "previous", () => open(view.at - 1), { id: "cases-previous" }),
      button("next", "next", () => open(view.at + 1), { id: "cases-next" }),
      el("span[role=status]", { dataset: { part: "place" } }),
      el("button.plain", { onclick: close }, "close the file"),
    ),
    el("div.cases-about", { dataset: { part: "about" } }),
    el("p.role-quiet", { dataset: { part: "reader" } }),
    el(
      "details.fold",
      el("summary", "list"),
      el("ol.cases-list", { dataset: { part: "list" } }),
      button("earlier", "earlier", () => turn(-LISTED)),
      button("later", "later", () => turn(LISTED)),
    ),
  );
}

async function chosen(event) {
  const said = part("said");
  const files = [...event.target.files];
  if (!files.length) return;
  said.textContent = "reading the file";
  try {
    const found = await readFiles(files);
    Object.assign(view, { file: found, kind: "wrong", letters: "", at: -1, from: 0 });
    said.textContent = "";
    document.body.classList.add("has-cases");
    strip();
    filter();
    document.getElementById("cases-next")?.focus();
  } catch (error) {
    if (!(error instanceof WrongFile)) throw error;
    said.textContent = error.message;
    event.target.value = ""; // the same file may be chosen again once it is mended
  }
}

/** The box for files, under the menu of readers, and the bar. */
function build() {
  view.root.append(
    el(
      "div.cases-open",
      el("label[for=cases-file]", "Open a file of predictions"),
      el("input#cases-file[type=file]", {
        multiple: true,
        accept: ".jsonl,.json",
        dataset: { part: "file" },
        "aria-describedby": "cases-hint",
        onchange: chosen,
      }),
      el("p.cases-said[role=status]", { dataset: { part: "said" } }),
      el(
        "p.role-quiet#cases-hint",
        "What python -m qa_demo evaluate --out wrote, with its .run.json. The file stays in this browser; only a case that you open is read by the reader.",
      ),
    ),
    el("div[role=region]", { "aria-label": "File of predictions", dataset: { part: "strip" } }),
  );
}

export function updateCases(root, { chapters, meaning }) {
  if (view.root || !chapters) return;
  view.root = root;
  view.chapters = new Map(Object.entries(chapters));
  view.meaning = new Map(Object.entries(meaning));
  build();
  hear("selection", () => view.file && (part("reader").textContent = madeBy()));
}
