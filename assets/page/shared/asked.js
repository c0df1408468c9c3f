// The folded Ask: the question as it was read is the way to another. Pressing it, or the button
// beside it, opens both boxes with the question selected, so that what is typed takes its place; a
// file of text dropped on them becomes the paragraph, and Ctrl+Enter asks.

import { byHand } from "./by_hand.js";
import { el } from "./dom.js";
import { grouped } from "./numbers.js";
import { keepText, storage } from "./storage.js";
import { hear, say, state } from "./store.js";

const OWN = "Ask your own";
/** Letters of a file that are read: more than any host lets a paragraph have. */
const MOST = 2_000_000;

/** What gradio hears as typing. @param {HTMLInputElement | null} box @param {string} text */
function type(box, text) {
  if (!box) return;
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Whether a file can be a paragraph. @param {File} file */
const isText = (file) =>
  (file.type.startsWith("text/") || /\.txt$/i.test(file.name)) && file.size <= MOST;

/** Where this browser keeps that the step after an answer is known. */
const KNOWN = "spanlight.next";

/** After the first answer to an own text: what to ask next, and the keys; once another chapter was opened, never again. */
function nextStep() {
  const root = el(
    "span.next-step[hidden]",
    el(
      "button.plain",
      { onclick: () => document.getElementById("tab-why")?.click() },
      "why this answer? 9",
    ),
    el("span.role-quiet", "? lists the keys"),
  );
  const known = () => storage("localStorage")?.getItem(KNOWN) === "yes";
  hear("reading", ({ example, typed }) => {
    root.toggleAttribute("hidden", Boolean(example) || typed || known());
  });
  hear("opened", () => {
    if (root.hidden) return;
    keepText("localStorage", KNOWN, "yes");
    root.toggleAttribute("hidden", true);
  });
  return root;
}

export function updateAsked(root) {
  if (root.firstChild) return;
  const question = el("bdi.asked-question");
  const about = el("span.role-quiet.about");
  const edit = el("button.plain", {
    "aria-controls": "ask",
    "aria-expanded": false,
    onclick: () => open(!document.body.classList.contains("editing")),
  }, OWN);
  const asked = document.body.classList.contains("saved")
    ? el("span.asked-open", question) // without a reader nothing else can be asked
    : el("button.asked-open", { title: OWN, onclick: () => open(true) }, question);
  const open = (on) => {
    const wasIn = document.getElementById("ask")?.contains(document.activeElement);
    document.body.classList.toggle("editing", on);
    edit.setAttribute("aria-expanded", String(on));
    edit.textContent = on ? "fold" : OWN;
    if (!on && wasIn) edit.focus();
    if (!on) return;
    boxes()[0]?.focus();
    boxes()[0]?.select();
  };
  root.append(el("p.asked", el("span.asked-line", asked, edit), about, byHand(), nextStep()));
  const boxes = () =>
    ["question", "paragraph"].map((name) => /** @type {HTMLInputElement | null} */
    (document.querySelector(`#ask-${name} textarea, #ask-${name} input`)));
  const differ = () => {
    const [q, p] = boxes();
    const changed = !state.reading || q?.value !== state.reading.question ||
      p?.value !== state.reading.context;
    document.getElementById("ask-answer")?.classList.toggle("filled", Boolean(changed));
  };
  /** What happens in the boxes of Ask. @param {string} kind @param {(event: any) => any} act */
  const inAsk = (kind, act) =>
    document.addEventListener(
      kind,
      (event) => event.target instanceof Element && event.target.closest("#ask") && act(event),
    );
  const isFile = (event) => event.dataTransfer?.types.includes("Files");
  inAsk("input", differ);
  inAsk("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    document.getElementById("ask-answer")?.click();
  });
  inAsk("dragover", (event) => isFile(event) && event.preventDefault());
  inAsk("drop", async (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file && isText(file)) type(boxes()[1], await file.text());
    else say("refused", "Only a file of plain text, up to 2 MB, can be the paragraph.");
  });
  hear("reading", (reading) => {
    setTimeout(differ);
    question.textContent = reading.question;
    const n = reading.windows.length;
    const { tokens: { length }, reader } = reading;
    about.textContent = `${grouped(length)} word piece${length === 1 ? "" : "s"} in ${
      n === 1 ? "one window" : `${n} windows`
    }, reader ${reader}`;
    if (reading.stamp !== root.stamp && root.stamp) open(false);
    root.stamp = reading.stamp;
  });
}
