// What the browser knows: the reading, the selection, theme and scale; and the bus that tells
// everyone.

import { post, underWay } from "./outbox.js";
import { floats, ints } from "./pack.js";
import { opened } from "./window.js";

export const bus = new EventTarget();
export const say = (name, detail) => bus.dispatchEvent(new CustomEvent(name, { detail }));

/**
 * @typedef {{text: string, start: number, end: number, word: number}} Token
 * @typedef {{index: number, n: number, start: Float32Array, end: Float32Array, tokens: string[],
 *   docStart: number, docStop: number, contextAt: number, clsAt: number,
 *   [more: string]: any}} ReadWindow
 * @typedef {{stamp: number, reader: string, question: string, context: string, tokens: Token[],
 *   windows: ReadWindow[], owner: Int32Array, [more: string]: any}} Reading
 * @typedef {{start: number, end: number}} Span positions in the paragraph's tokens, both inside
 * @typedef {Span & {window: number, record: any}} Selection `record`: Python's answer, or null
 */

/**
 * @type {{reading: Reading | null, selection: Selection | null, predicted: any, answer: any,
 *   record: any, send: any, chapter: string | null}}
 */
export const state = {
  reading: null,
  selection: null,
  predicted: null,
  answer: null,
  record: null,
  send: null,
  chapter: null,
};

/**
 * Be told of an event; pictures mount in any order, so a reading that is already there is told at
 * once.
 */
export function hear(name, heard) {
  bus.addEventListener(name, (event) => heard(/** @type {CustomEvent} */ (event).detail));
  if (name === "reading" && state.reading) heard(state.reading);
}

/**
 * Be told what a link asks of the browser, each time one was opened.
 * @param {(page: any) => void} heard
 */
export const hearLink = (heard) => hear("reading", ({ page }) => page && heard(page));

/**
 * A reading as Python sends it, with its packed arrays opened.
 * @param {any} data
 * @returns {Reading}
 */
export function unpack(data) {
  const offsets = ints(data.offsets);
  const words = ints(data.words);
  const tokens = Array.from(
    data.names.context,
    (text, d) => ({ text, start: offsets[2 * d], end: offsets[2 * d + 1], word: words[d] }),
  );
  const windows = data.windows.map((w) => {
    const start = floats(w.start);
    return opened({
      ...w,
      start,
      end: floats(w.end),
      n: start.length,
      tokens: [
        ...data.names.prefix,
        ...data.names.context.slice(w.docStart, w.docStop),
        ...data.names.suffix,
      ],
    });
  });
  return { ...data, tokens, windows, owner: ints(data.owner) };
}

/**
 * A span as typed; its last token may hold only the blank after it.
 * @param {Span} span
 */
export function textOf({ start, end }) {
  if (!state.reading) return "";
  const { context, tokens } = state.reading;
  return context.slice(tokens[start].start, tokens[end].end).trimEnd();
}

/** Send Python a request of the page's own, by its name. */
export const ask = (index, value) =>
  state.send && post(index, state.send, "input", { index, value });

/** Show an example, by its id: what choosing it in the menu does. */
export const openExample = (id) => ask("example", id);

/**
 * Select a span, in the window given or in the one that owns its start.
 * @param {Span & {window?: number | null}} span
 */
export function select({ window = null, start, end }) {
  if (!state.reading || !state.send) return;
  const held = window ?? state.reading.owner[start];
  state.selection = { window: held, start, end, record: null };
  say("selection", state.selection);
  post("select", state.send, "select", {
    index: [held, start, end],
    value: textOf({ start, end }),
  });
}

/** Whether two readings are of the same words, cut into the same windows. */
export const sameWords = (a, b) =>
  a === b ||
  (a.reader === b.reader && a.question === b.question && a.context === b.context &&
    a.windows.length === b.windows.length &&
    a.windows.every(({ docStart, docStop }, k) =>
      docStart === b.windows[k].docStart && docStop === b.windows[k].docStop
    ));

/**
 * A reading and its record come one by one, in any order: a span of other words is no place in
 * these, and a record of a reading to come waits for it.
 * @param {any} data
 */
export function arrive(data) {
  const before = state.reading;
  state.reading = unpack(data);
  if (before && !sameWords(before, state.reading)) {
    Object.assign(state, { selection: null, predicted: null, answer: null });
  }
  say("reading", state.reading);
  if (early) keep(early);
}

let early = null;

/**
 * Python's record: where it stands is selected, unless a newer selection of the same numbers is
 * still under way.
 */
export function keep(record) {
  early = record.stamp === state.reading?.stamp ? null : record;
  if (early) return;
  const newer = state.selection && underWay("select") && state.record?.stamp === record.stamp &&
    !same(state.selection, record);
  Object.assign(state, { predicted: record.predicted, answer: record.answer, record });
  if (!newer) fromRecord();
  say("selection", state.selection);
}

/** A refused selection gives way to the one that Python still holds. */
export function refused() {
  if (
    !state.record || underWay("select") || !state.selection || same(state.selection, state.record)
  ) return;
  fromRecord();
  say("selection", state.selection);
}

/**
 * Whether two are the same span of one window; none is like no other.
 * @param {any} a
 * @param {any} b
 */
export const same = (a, b) =>
  Boolean(a && b) && a.window === b.window && a.start === b.start && a.end === b.end;

function fromRecord() {
  const { record } = state;
  state.selection = record.window === null
    ? null
    : { window: record.window, start: record.start, end: record.end, record };
}
