// The address follows the page: everything that brings this screen back stands behind #, which no
// server is sent. Python writes the fields of a reading (views/link/), this adds what the browser
// alone knows, and packs them:
//
//     #2.<base64 of deflate>      one [name, value] a line as JSON, and a last line "."
//
// What is too long for an address keeps its texts in the entry of the browser's history alone.

import { carried } from "./carry.js";
import { keepText, readJson, storage } from "./storage.js";
import { ask, hear, state } from "./store.js";

const VERSION = 2;
const PAUSE = 300;
const LINK = /^#(\d+\.|.*=)/;
/** Whether this visit came by a link, or back to what it was; asked before anything is written. */
export const came = (globalThis.location?.hash ?? "").length > 1 ||
  Boolean(globalThis.history?.state?.spanlight);
/** Characters of the longest link: more is cut by mail and chat programs. */
export const MOST = 8000;
const END = ".";
/** The name of what `keepUnwritten` keeps. */
const UNWRITTEN = "spanlight.unwritten";

/**
 * Fields as the lines that are packed.
 * @param {Record<string, any>} fields
 */
export const lines = (fields) =>
  [...Object.entries(fields).map((one) => JSON.stringify(one)), END].join("\n");

/** @param {Uint8Array} bytes */
function fragment(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) {
    text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  }
  const letters = btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `#${VERSION}.${letters}`;
}

/**
 * The fragment of fields.
 * @param {Record<string, any>} fields
 */
export async function pack(fields) {
  const stream = new Blob([lines(fields)]).stream().pipeThrough(
    new CompressionStream("deflate-raw"),
  );
  return fragment(new Uint8Array(await new Response(stream).arrayBuffer()));
}

/** Bytes of a block that deflate stores as it is. */
const BLOCK = 65_535;

/**
 * The fragment of fields without waiting: deflate's form for what is not compressed, blocks of a
 * mark for the last, the length, the length inverted, and the bytes (RFC 1951, 3.2.4).
 * @param {Record<string, any>} fields
 */
export function packAtOnce(fields) {
  const body = new TextEncoder().encode(lines(fields));
  const starts = Array.from({ length: Math.ceil(body.length / BLOCK) }, (_, k) => k * BLOCK);
  return fragment(
    Uint8Array.from(starts.flatMap((from) => {
      const block = body.subarray(from, from + BLOCK), n = block.length;
      const last = from + n === body.length ? 1 : 0;
      return [last, n & 255, n >> 8, ~n & 255, (~n >> 8) & 255, ...block];
    })),
  );
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
  const { reader: _, ...rest } = known;
  const named = Object.entries(more).filter(([, value]) => value !== null)
    .map(([name, value]) => [`page.${name}`, value]);
  return {
    ...own,
    ...(reader ? known : rest),
    chapter,
    ...Object.fromEntries(named),
    ...(texts || known.example ? {} : { "page.texts": false }),
  };
}

const settled = () => state.reading && state.record && state.record.stamp === state.reading.stamp;

/**
 * The fragment that brings this screen back, and the one that fits an address: without the texts
 * where they are too long. Null before there is a reading.
 * @param {{reader?: boolean, lock?: string[]}} [wanted]
 */
export async function links(wanted = {}) {
  if (!settled()) return null;
  const make = (texts) => pack(shownFields({ ...wanted, texts }));
  const whole = await make(true);
  return { whole, fits: whole.length <= MOST ? whole : await make(false) };
}

/** @param {{texts?: boolean, reader?: boolean, lock?: string[], chapter?: string}} [wanted] */
function shownFields({ lock = [], chapter = state.chapter ?? "answer", ...wanted } = {}) {
  const page = { chapter, ...carried(), ...(lock.length ? { lock } : {}) };
  return fieldsOf(/** @type {any} */ (state.reading), state.record.link, page, wanted);
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
  written = happened;
  window.location.reload();
}

// The history: a new text or chapter is a step back, everything else takes the place of the entry.

/** @type {string | null} what the entry in front shows; null before the first */
let shown = null;
let last = "";
/** @type {string | null} the chapter that a visit opens with */
let first = null;
/** @type {"no" | "asked" | "there"} whether a link is being followed */
let arriving = "there";
let turn = 0;
let asked = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** How often something happened, and how much of that the address holds. */
let happened = 0;
let written = 0;
/** Whether the address in front was written here. */
let own = false;

const place = (chapter = state.chapter) =>
  [chapter, state.reading?.question, state.reading?.context, state.reading?.reader].join("\u0001");

/**
 * The way back to what a visit without a link shows first, as soon as it is known: whoever opened
 * another chapter within the pause found no such entry to go back to.
 */
function keepStart() {
  const linked = window.history.state?.spanlight || LINK.test(window.location.hash);
  if (last !== "" || linked || first === null || !settled()) return;
  const spanlight = packAtOnce(shownFields({ chapter: first }));
  window.history.replaceState({ ...window.history.state, spanlight }, "");
}

async function write() {
  turn += 1;
  const mine = turn;
  if (arriving === "asked" || !settled()) return;
  const now = place(), until = happened;
  const made = await links();
  if (!made || mine !== turn) return;
  const entry = { ...window.history.state, spanlight: made.whole };
  const moved = now !== shown;
  // a visit that has changed nothing keeps the address that it came by, also where its picture was
  // slow to show its step
  if (last === "" && !moved) window.history.replaceState(entry, "");
  else if (made.whole !== last) {
    const fresh = moved && (arriving === "no" || last === "");
    own ||= fresh || until !== written;
    const address = own ? at(made.fits) : undefined;
    window.history[fresh ? "pushState" : "replaceState"](entry, "", address);
  }
  arriving = "no";
  last = made.whole;
  shown = now;
  written = until;
}

function due() {
  happened += 1;
  soon();
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(write, PAUSE);
}

/**
 * Whoever leaves a lesson and reloads within the pause has left it: what the address does not hold
 * yet is kept for this tab. An entry of the history that is changed here comes too late for some
 * reloads.
 */
function keepUnwritten() {
  storage("sessionStorage")?.removeItem(UNWRITTEN);
  if (written === happened || arriving === "asked" || !settled()) return;
  const link = packAtOnce(shownFields());
  // in a full storage: as the address says
  keepText("sessionStorage", UNWRITTEN, JSON.stringify([window.location.href, link]));
}

/** The link that this page opens with. */
export function opened() {
  const kept = readJson(storage("sessionStorage")?.getItem(UNWRITTEN));
  const [address, link] = Array.isArray(kept) ? kept : [];
  if (address === window.location.href) return link;
  // history.state holds a link that is too long for the address
  return window.history.state?.spanlight || window.location.hash;
}

/** Keep the address in step with the page, and follow another one that comes into this tab. */
export function followAddress() {
  ["look", "selection", "opened", "carried"].forEach((name) => hear(name, due));
  hear("reading", ({ page, open }) => {
    shown ??= place(open ?? state.chapter);
    first ??= open ?? state.chapter;
    keepStart();
    // an answer about an entry that was left again meanwhile is not the one in front
    if (arriving !== "asked" || !page || page.n === asked) arriving = page ? "there" : "no";
    due();
  });
  hear("drawn", soon); // a step is known once its picture is drawn
  hear("selection", keepStart); // the record may come after its reading
  hear("message", ({ kind }) => {
    if (kind === "error" && arriving === "asked") arriving = "no";
  });
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("[id*='-step-']")) due();
  });
  globalThis.addEventListener("pagehide", keepUnwritten);
  globalThis.addEventListener("popstate", ({ state: entry }) => {
    const wanted = entry?.spanlight ?? (LINK.test(window.location.hash) ? location.hash : null);
    if (!wanted || !state.send) return;
    clearTimeout(timer);
    turn += 1;
    arriving = "asked";
    asked += 1;
    ask("link", { link: wanted, n: asked });
  });
}
