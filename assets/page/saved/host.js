// What gradio is on the running page: it mounts the pictures, and answers what they send from a
// tape (qa_demo/views/saved/tape.py), which holds what Python has answered before. What is not on it
// is said beside the control, with the link that opens this state where it can be had.

import { mount } from "../main.js";
import { el } from "../shared/dom.js";
import { NOT_SAVED } from "../shared/needs_page.js";
import { state } from "../shared/store.js";
import { player } from "./tape.js";

const NO_SPAN =
  "The numbers of this span were not saved: listed spans, marked answers and single " +
  "words were. Others need the running page.";

/** @type {Map<string, (value: any) => void>} */
const parts = new Map();
let play = null;
let numbers = 0;

/** A number that was not used before: what is sent twice is news. */
export const next = () => {
  numbers += 1;
  return numbers;
};

/** What gr.HTML is on the running page: an element, a value that can be sent, and a trigger. */
export function picture(kind, id, value, trigger = (..._) => {}, into = page()) {
  const element = el("div.picture", { id }, el("div.mount"));
  into.append(element);
  const props = { kind, value };
  const watching = [];
  mount(element, props, trigger, (_, told) => watching.push(told));
  parts.set(id, (sent) => {
    props.value = sent;
    watching.forEach((told) => told());
  });
  return element;
}

export const page = () => /** @type {HTMLElement} */ (document.getElementById("page"));

/** Dark where the system is dark. */
export function asTheSystem() {
  const { matches } = window.matchMedia("(prefers-color-scheme: dark)");
  if (matches) document.body.classList.add("dark");
}

/** Send a picture its value. */
export const send = (id, value) => parts.get(id)?.(value);

/** The last request is answered, so that the next one goes out. */
export const answered = (id, refused = false) => send("heard", { id, refused, n: next() });

/** Say what cannot be done here, beside the control that was pressed, and where it can. */
export function refuse(text) {
  send("say", { text, kind: "error", n: next() });
  const way = document.getElementById("to-page");
  const note = document.querySelector("#say .say-line");
  note?.querySelector("a")?.remove();
  if (!(way instanceof HTMLAnchorElement)) return;
  note?.append(el("a", { href: way.href, target: "_blank", rel: way.rel }, "open it there"));
}

/** Answers come later, as they do from a server: a picture sends while it is drawn. */
export const later = (act) => (event, data) => setTimeout(() => act(event, data ?? {}));

/**
 * Put a tape on the page: its reading, its pictures, and a selection that is on it.
 * @param {any} tape
 * @param {{chapter?: string | null, place?: string | null, page?: any, own?: Record<string, any>}} [front]
 *   `page`: what is asked of the browser; `own`: tapes of chapters that have their own
 */
export function show(tape, front = {}) {
  const { chapter = tape.reading.open, place = null, page = tape.reading.page, own = {} } = front;
  play = player(tape, own);
  send("store", { ...tape.reading, open: chapter, page });
  [...Object.keys(tape.pictures), ...Object.keys(own)].forEach((key) =>
    send(`picture-${key}`, play.picture(key))
  );
  send("chosen", { ...(place && play.record(place)) ?? play.first(), n: next() });
}

/** Other data for one chapter, from a tape of its own. @param {string} key @param {any} tape */
export function replace(key, tape) {
  play = play.with(key, tape);
  send(`picture-${key}`, play.picture(key));
  formula(key, tape.record.formulas[key]);
}

function formula(key, parts) {
  if (!parts || !state.record) return;
  const formulas = { ...state.record.formulas, [key]: parts };
  send("chosen", { ...state.record, formulas, n: next() });
}

/** A selection was sent. */
export function select({ index, id }) {
  const record = play.record(index.join(" "));
  const marking = document.body.classList.contains("marking"); // a mark is compared, not explained
  if (record) send("chosen", { ...record, n: next() });
  else if (!marking) refuse(NO_SPAN);
  answered(id, !record && !marking);
}

/** A picture's request was sent. @param {string} key */
export function ask(key, { index, value, id }) {
  const found = play.answer(key, index, value);
  if (found) {
    send(`picture-${key}`, found.page);
    if (found.select) send("chosen", { ...play.record(found.select), n: next() });
    formula(key, found.formula);
  } else {
    refuse(NOT_SAVED);
    send(`picture-${key}`, play.picture(key)); // what was moved goes back
  }
  answered(id);
}
