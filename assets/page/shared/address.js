// The address follows the page: everything that brings this screen back stands behind #, which no
// server is sent. Python writes the fields of a reading (views/link/), this adds what the browser
// alone knows, and packs them:
//
//     #2.<base64 of deflate>      one [name, value] a line as JSON, and a last line "."
//
// What is too long for an address keeps its texts in the entry of the browser's history alone.

import { carried } from "./carry.js";
import { post } from "./outbox.js";
import { hear, state } from "./store.js";

const VERSION = 2;
const PAUSE = 300;
const LINK = /^#(\d+\.|.*=)/;
/** Characters of the longest link: more is cut by mail and chat programs. */
export const MOST = 8000;
const END = ".";

/**
 * Fields as the lines that are packed.
 * @param {Record<string, any>} fields
 */
export const lines = (fields) =>
  [...Object.entries(fields).map((one) => JSON.stringify(one)), END].join("\n");

/** @param {Uint8Array<ArrayBuffer>} bytes */
function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) {
    text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  }
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * The fragment of fields.
 * @param {Record<string, any>} fields
 */
export async function pack(fields) {
  const stream = new Blob([lines(fields)]).stream().pipeThrough(
    new CompressionStream("deflate-raw"),
  );
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return `#${VERSION}.${base64(bytes)}`;
}

/**
 * The fields of a link, the texts first: a link that is cut off still has them.
 * @param {{question: string, context: string}} reading
 * @param {Record<string, any>} known what Python says of the screen
 * @param {Record<string, any>} page what the browser knows, with the open chapter
 * @param {{texts?: boolean, reader?: boolean}} [wanted]
 */
export function fieldsOf(reading, known, page, { texts = true, reader = true } = {}) {
  const { chapter, ...more } = page;
  const own = texts && !known.example
    ? { question: reading.question, paragraph: reading.context }
    : {};
  const rest = Object.entries(known).filter(([name]) => reader || name !== "reader");
  const named = Object.entries(more).filter(([, value]) => value !== null)
    .map(([name, value]) => [`page.${name}`, value]);
  return {
    ...own,
    ...Object.fromEntries(rest),
    chapter,
    ...Object.fromEntries(named),
    ...(texts || known.example ? {} : { "page.texts": false }),
  };
}

const settled = () => state.reading && state.record && state.record.stamp === state.reading.stamp;

/** Whether this browser can pack a link. */
export const canPack = () => "CompressionStream" in globalThis;

/**
 * The fragment that brings this screen back, and the one that fits an address: without the texts
 * where they are too long. Null before there is a reading.
 * @param {{reader?: boolean, lock?: string[]}} [wanted]
 */
export async function links({ reader = true, lock = [] } = {}) {
  const { reading, record } = state;
  if (!reading || !record || !settled() || !canPack()) return null;
  /** @type {Record<string, any>} */
  const page = { chapter: state.chapter ?? "answer", ...carried() };
  if (lock.length) page.lock = lock;
  const make = (texts) => pack(fieldsOf(reading, record.link, page, { texts, reader }));
  const whole = await make(true);
  return { whole, fits: whole.length <= MOST ? whole : await make(false) };
}

/** @param {string} fragment */
const at = (fragment) =>
  `${window.location.origin}${window.location.pathname}${window.location.search}${fragment}`;

/**
 * The whole address, and how long its fragment would be with the texts.
 * @param {{reader?: boolean, lock?: string[]}} [wanted]
 */
export async function address(wanted) {
  const made = await links(wanted);
  return made && { address: at(made.fits), length: made.whole.length };
}

/** These texts on a page that starts with its own reader. */
export async function fresh() {
  const made = await links({ reader: false });
  if (!made) return;
  window.history.replaceState({ spanlight: made.whole }, "", at(made.fits));
  window.location.reload();
}

// The history: a new text or chapter is a step back, everything else takes the place of the entry.

/** @type {string | null} what the entry in front shows; null before the first */
let shown = null;
let last = "";
/** @type {"no" | "asked" | "there"} whether a link is being followed */
let arriving = "there";
let turn = 0;
let asked = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

const place = (chapter = state.chapter) =>
  [chapter, state.reading?.question, state.reading?.context, state.reading?.reader].join(
    "\u0001",
  );

async function write() {
  turn += 1;
  const mine = turn;
  if (arriving === "asked" || !settled()) return;
  const now = place();
  const made = await links();
  if (!made || mine !== turn) return;
  const entry = { ...window.history.state, spanlight: made.whole };
  const moved = now !== shown;
  // a visit that has changed nothing keeps the address that it came by
  if (last === "" && !moved) window.history.replaceState(entry, "");
  else if (made.whole !== last) {
    const fresh = moved && (arriving === "no" || last === "");
    window.history[fresh ? "pushState" : "replaceState"](entry, "", at(made.fits));
  }
  arriving = "no";
  last = made.whole;
  shown = now;
}

function due() {
  clearTimeout(timer);
  timer = setTimeout(write, PAUSE);
}

/** Keep the address in step with the page, and follow another one that comes into this tab. */
export function followAddress() {
  ["look", "selection", "opened", "carried"].forEach((name) => hear(name, due));
  hear("reading", ({ page, open }) => {
    shown ??= place(open ?? state.chapter);
    // an answer about an entry that was left again meanwhile is not the one in front
    if (arriving !== "asked" || !page || page.n === asked) arriving = page ? "there" : "no";
    due();
  });
  hear("message", ({ kind }) => {
    if (kind === "error" && arriving === "asked") arriving = "no";
  });
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("[id*='-step-']")) due();
  });
  globalThis.addEventListener("popstate", ({ state: entry }) => {
    const wanted = entry?.spanlight ?? (LINK.test(window.location.hash) ? location.hash : null);
    if (!wanted || !state.send) return;
    clearTimeout(timer);
    turn += 1;
    arriving = "asked";
    asked += 1;
    post("link", state.send, "input", { index: "link", value: { link: wanted, n: asked } });
  });
}
