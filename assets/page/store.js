// The state: one object that is the address. `set` changes it, `ask` brings the picture of it.

export const BASE = new URL("../../", import.meta.url);
export const TEXTS = ["example", "question", "context"];
const OF_A_TEXT = ["selection", "edits", "gold", "own"];
/** What is of the text on screen: setting it makes the text that a page opened with the state's. */
const BOUND = ["selection", "edits", "gold", "max_seq_length", "doc_stride"];
const PLACES = ["example", "question", "context", "reader", "chapter", "step"];
/** Fields whose words in a link are meant as they stand. */
const WORDS = ["question", "context", "example", "reader", "rule", "chapter"];
/** What mail programs and social networks hang on behind a link. */
const FOREIGN = /^(fbclid|gclid|utm_|mc_)/;
const LONGEST = 8000;
const POLL = 300; // milliseconds
const SENT = 120; // digests of blocks held, of which a request tells
/** Milliseconds that a reply may take. */
export const PATIENCE = 15_000;

/** @type {Record<string, any>} */
let state = {};
/** @type {Record<string, any>} the fields that the picture on screen opened with by itself */
let opened = {};
/** @type {Map<string, any>} every block that came, by its digest, the newest last */
const blocksHeld = new Map();
let asking = false, newer = false, patience = PATIENCE, writing = 0, drawing = 0;
/** Ends a pause. */
let wake = (_) => {};
/** The path that was set last: a refusal stands beside its control. */
let touched = "";

/** @typedef {"picture" | "marks" | "busy" | "refused" | "lost" | "waiting" | "came" | "lesson"} Act
 * @type {Partial<Record<Act, (...heard: any[]) => any>>} what the page does, once it has begun
 */
let page = {};

export const current = () => state;

/** The state with a patch: paths such as "edits.start.0:32"; null takes a field out. */
export function patched(from, patch) {
  const next = structuredClone(from);
  if (TEXTS.some((name) => name in patch)) {
    for (const name of OF_A_TEXT) delete next[name];
    if (patch.example) delete next.question, delete next.context;
    else if (patch.question !== undefined) delete next.example;
  }
  for (const [path, value] of Object.entries(patch)) {
    const keys = path.split("."), last = /** @type {string} */ (keys.pop());
    let at = next;
    for (const key of keys) at = at[key] ??= {};
    if (value === null || value === undefined) delete at[last];
    else at[last] = value;
  }
  return next;
}

/** Change the state: marks move at once, the picture follows. */
export function set(patch) {
  if (patch.chapter && patch.step === undefined) patch = { ...patch, step: null };
  if (Object.keys(patch).some((path) => BOUND.includes(path.split(".")[0]))) {
    state = { ...opened, ...state };
  }
  const places = Object.keys(patch).some((path) => PLACES.includes(path));
  state = patched(state, patch);
  touched = Object.keys(patch)[0] ?? "";
  page.marks?.(patch);
  write(places);
  ask();
}

/** Take another state whole, as a lesson's step has it. */
export function replace(other) {
  state = structuredClone(other);
  touched = "";
  page.marks?.({});
  write(true);
  ask();
}

/** base64url of the state's JSON: letters, digits, - and _ alone, so that mail leaves it whole. */
export function packed(value) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The fields of a link written by hand, texts as q and p, the rest words or JSON. */
function byHand(text) {
  const fields = [];
  for (const [name, value] of new URLSearchParams(text)) {
    const field = name === "q" ? "question" : name === "p" ? "context" : name;
    if (WORDS.includes(field)) fields.push([field, value]);
    else if (!FOREIGN.test(name)) {
      try {
        fields.push([field, JSON.parse(value)]);
      } catch {
        fields.push([field, value]); // which the field refuses
      }
    }
  }
  return Object.fromEntries(fields);
}

/** The state in an address, or null for none; what a mail program hung on behind it is left out. */
export function unpacked(hash) {
  let text = hash.replace(/^#/, "");
  if (!text) return null;
  try {
    text = decodeURIComponent(text);
  } catch {
    // a lone % stands for itself
  }
  if (/^\w+=/.test(text)) return byHand(hash.replace(/^#/, ""));
  if (text.startsWith("{")) return JSON.parse(text.slice(0, text.lastIndexOf("}") + 1));
  const letters = /^[\w-]+/.exec(text.replace(/\s/g, ""))?.[0] ?? "";
  const bytes = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (c) => c.charCodeAt(0))));
}

/** The address of the state; null where it would be too long to copy. */
export function link() {
  const text = Object.keys(state).length ? packed(state) : "";
  const address = `${location.pathname}#${text}`; // of a file, whose origin may be "null", too
  return text.length > LONGEST ? null : new URL(address, location.href).href;
}

function write(push) {
  const address = link() ?? `${location.pathname}#`;
  const kept = { spanlight: state, lesson: page.lesson?.() };
  const other = JSON.stringify(kept) !== JSON.stringify(history.state);
  try {
    history[push && other ? "pushState" : "replaceState"](kept, "", address);
  } catch { // Firefox and Safari take some hundred in ten seconds, a moved slider makes more
    clearTimeout(writing), writing = setTimeout(write, 1000);
  }
}

/** The state of the address or of the browser's history. Errors: SyntaxError for a damaged link. */
function read() {
  if (history.state?.spanlight && !(location.hash.length > 1)) return history.state.spanlight;
  return unpacked(location.hash) ?? history.state?.spanlight ?? {};
}

/** Begin with what the address says. */
export function begin(with_page) {
  page = with_page;
  const go = () => {
    let why = "";
    try {
      state = globalThis.SAVED && !location.hash ? globalThis.SAVED.state : read();
    } catch {
      why = location.hash.startsWith("#2.")
        ? "is of version 0.2, which had another state; choose the text anew."
        : "is damaged: it holds no state that can be read.";
      leave({});
    }
    page.marks?.({});
    if (why) page.refused?.(`This link ${why}`, { stays: true });
    ask();
  };
  addEventListener("popstate", (event) => (go(), page.came?.(event.state?.lesson)));
  go();
}

/** Bring the picture of the state; one request at a time, the newest state next. */
export async function ask() {
  wake();
  if (asking) {
    newer = true;
    return;
  }
  asking = true;
  try {
    do {
      newer = false;
      await bring(state);
    } while (newer);
  } finally {
    asking = false;
    page.busy?.(false);
  }
}

const sleep = (ms) => new Promise((go) => setTimeout(go, ms));

/** Wait, or less if the state changes: by one timer, as a hidden tab's come once a second. */
const pause = (ms) => new Promise((go) => (wake = go, setTimeout(go, ms)));

/** The reply to a body of JSON. Errors: see `isLost`; one is that it took longer than `ms`. */
export const postOnce = (path, body, ms = PATIENCE) =>
  fetch(new URL(path, BASE), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ms),
  });

/** Whether a reply was lost: the server or the network is away, or too slow.
 * @returns {boolean}
 */
export const isLost = (fault) =>
  fault instanceof TypeError || fault instanceof SyntaxError || fault instanceof DOMException;

/** POST to a path of the page until its models are through. Errors: Error with one sentence. */
export async function post(path, body) {
  while (true) {
    const reply = await postOnce(path, body);
    const made = await reply.json();
    if (reply.ok && reply.status !== 202) return made;
    if (reply.status !== 202) throw new Error(made.error);
    await sleep(POLL);
  }
}

/** What a refusal says; what is no error of a request goes on. */
export function sentenceOf(refusal) {
  if (!(refusal instanceof Error)) throw refusal;
  return isLost(refusal) ? "The server does not answer; press again." : refusal.message;
}

/** One answer of the server, [status, body], [0] if it was lost; a saved file answers itself. */
async function answered(body) {
  if (globalThis.SAVED) return savedAnswer(body.state);
  try {
    const have = [...blocksHeld.keys()].slice(-SENT);
    const reply = await postOnce("picture", { ...body, have }, patience);
    const answer = [reply.status, await reply.json()];
    patience = PATIENCE;
    return answer;
  } catch (/** @type {any} */ fault) {
    if (!isLost(fault)) throw fault;
    // else a slow network would never bring it; Safari calls its end of patience an AbortError
    if (fault instanceof DOMException) patience *= 2;
    return [0];
  }
}

/** A saved file holds its own state's pictures alone. */
function savedAnswer(asked) {
  const { pictures, state: own } = globalThis.SAVED;
  const place = (s) => `${s.chapter ?? "answer"}/${s.step ?? 1}`;
  const bare = ({ chapter: _c, step: _s, ...rest }) => JSON.stringify(Object.entries(rest).sort());
  if (bare(asked) !== bare(own)) {
    return [422, { error: "This needs the running page; a saved file holds what was on screen." }];
  }
  return [200, pictures[place(asked)]];
}

/** Ask until there is an answer, or until the state is another. */
async function bring(wanted) {
  page.busy?.(true);
  while (true) {
    const [status, body] = await answered({ state: wanted });
    clearTimeout(drawing); // an older picture's turn, which in a hidden tab comes late
    if (status === 200) {
      const picture = { ...whole(body), state: wanted };
      if (samePlace(wanted, state)) opened = body.opened ?? {};
      const show = () => {
        if (!samePlace(wanted, state)) return;
        page.picture?.(picture);
        page.refused?.(null);
      };
      if (newer) drawing = setTimeout(show); // the next question is on its way while this one is drawn
      else show();
      return;
    }
    if (status === 0) {
      page.lost?.();
      await pause(1000);
    } else if (status === 202) {
      if (wanted !== state) return; // cancelled meanwhile
      page.waiting?.(body);
      await pause(POLL);
    } else {
      const error = body.error ?? `The server refused this, with status ${status}.`;
      if (wanted === state) page.refused?.(error, { field: touched });
      return;
    }
    if (wanted !== state) return;
  }
}

/** The picture of another state than the page's; none where it is refused or not `wanted()`. */
export async function pictureOf(other, than, wanted) {
  while (wanted()) {
    const [status, body] = await answered({ state: other, than });
    if (status === 200) return whole(body);
    if (status !== 202 && status !== 0) return;
    await sleep(POLL);
  }
}

/** Whether a picture of one state may be shown while another is asked for: same place. */
function samePlace(one, other) {
  return PLACES.every((name) => one[name] === other[name]);
}

/** Take this state without asking; what was asked for is dropped. */
export function leave(to) {
  state = to;
  write(false);
  wake();
  newer = false;
}

/** The blocks of a picture with their content: what was not sent is held. */
function whole(picture) {
  const fill = (block) => {
    if (block.blocks) return { ...block, blocks: block.blocks.map(fill) };
    const { overlay, ...own } = block;
    if (block.kind) blocksHeld.delete(block.digest), blocksHeld.set(block.digest, own);
    return { ...blocksHeld.get(block.digest), overlay };
  };
  const blocks = picture.blocks.map(fill);
  for (const old of [...blocksHeld.keys()].slice(0, -3 * SENT)) blocksHeld.delete(old);
  return { ...picture, blocks };
}
