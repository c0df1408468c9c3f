// The static edition: examples, failures, passages and lessons, each from a file of its own. The
// address names what is shown: #example=ID&chapter=KEY, #passage=ID, or #lesson=ID&step=N.

import { carried } from "../shared/carry.js";
import { el } from "../shared/dom.js";
import { hear, state } from "../shared/store.js";
import {
  answered,
  asTheSystem,
  later,
  next,
  page,
  picture,
  refuse,
  replace,
  send,
  show,
} from "./host.js";
import { judged } from "./judged.js";
import { fetched } from "./tapes.js";

const OWN = "spanbert";
const OPENING = "passage";

/** @type {any} what data/site.js holds */
let site = null;
/** The tape on the page, and the text of chapter 8, which is the same beside every reading. */
let shown = "";
let passage = OPENING;
let turns = 0;

const titled = (id) => {
  document.title = `${site.titles[id] ?? "Lesson"}: Spanlight`;
};

/** Show a tape; everything is loaded before anything is shown of it, and the last wish wins. */
async function open(name, front = {}) {
  turns += 1;
  const mine = turns;
  const [tape, own] = await Promise.all([fetched(name), fetched(passage)]);
  if (mine !== turns) return;
  shown = name;
  show(tape, { page: null, ...front, own: { [OWN]: own } });
  titled(tape.reading.example);
}

async function openPassage(id) {
  passage = `${OPENING}-${id}`;
  const mine = passage;
  const tape = await fetched(mine);
  if (mine !== passage) return;
  replace(OWN, tape);
  write();
}

const said = (error) => String(error instanceof Error ? error.message : error);
const failed = (error) => refuse(said(error));

/** What the strip asks for: a step with its screen, a look at it, what is said of a guess. */
async function lesson({ index, value }) {
  const { steps, worksheet } = await fetched(`lesson-${value.lesson}`);
  const step = steps[value.step];
  if (index === "worksheet") {
    send("lessons", { n: next(), worksheet });
  } else if (index === "guess") {
    send("lessons", { n: next(), told: judged(step, value.guess) });
  } else {
    if (index !== "look") await open(step.tape, { chapter: step.chapter, place: step.place });
    const foreign = shown !== step.tape;
    send("lessons", { n: next(), reply: { ...step.reply, foreign } });
  }
}

/** @type {any} */
const NOTHING = { lesson: null, example: null, passage: null, chapter: null, step: 0 };

/** What the address asks for: the ids of a text, passage, chapter or lesson, and its step. */
function wish() {
  const asked = new URLSearchParams(window.location.hash.slice(1));
  const step = Math.max(0, Math.trunc(Number(asked.get("step") ?? 1)) - 1 || 0);
  return { ...Object.fromEntries(Object.keys(known).map((kind) => [kind, asked.get(kind)])), step };
}

const known = {
  lesson: (id) => site.lessons.lessons.some((one) => one.id === id),
  example: (id) => Object.hasOwn(site.titles, id),
  passage: (id) => site.passages.includes(id),
  chapter: (key) => site.chapters.some((one) => one.key === key),
};

/** Go where the address says; at first also `begin` with the first tape. */
async function follow(begin = (/** @type {any} */ _) => {}) {
  const wanted = wish();
  const missing = Object.keys(known).find((kind) => wanted[kind] && !known[kind](wanted[kind]));
  const { lesson: id, example, passage: text, chapter, step } = missing ? NOTHING : wanted;
  const beside = text ? `${OPENING}-${text}` : passage;
  fetched(beside); // shown together with the tape, so it need not wait for it
  const steps = id ? (await fetched(`lesson-${id}`)).steps : [];
  const name = id ? (steps[step] ?? steps[0]).tape : example ?? (shown || site.first);
  begin(await fetched(name));
  passage = beside;
  const page = id ? { lesson: id, lesson_step: step, left: "" } : null;
  await open(name, { chapter: chapter ?? (text ? OWN : null), page });
  if (missing) refuse(`This edition has no ${missing} "${wanted[missing].slice(0, 40)}".`);
}

/** The address follows what is shown, without an entry of its own in the history. */
function write() {
  const { lesson: id, lesson_step: step } = carried();
  const own = state.chapter === OWN && passage !== OPENING;
  const parts = [
    `#example=${state.reading?.example}`,
    own ? passage.replace("-", "=") : state.chapter && `chapter=${state.chapter}`,
  ];
  const now = id ? `#lesson=${id}&step=${step + 1}` : parts.filter(Boolean).join("&");
  if (now !== window.location.hash) window.history.replaceState(null, "", now);
}

/** Another example: an entry of the history, which is followed like a link. */
function choose(id) {
  if (window.location.hash === `#example=${id}`) follow().catch(failed);
  else window.location.hash = `example=${id}`;
}

/** The pictures that the edition has beside those of a saved reading. */
const MORE = {
  up: "index.html",
  free: ["#spanbert-source"],
  bar: (into) => picture("examples", "ask-examples", site.menu, undefined, into),
  strip: () =>
    picture(
      "lessons",
      "lessons",
      site.lessons,
      later((_, data) => lesson(data).catch(failed).then(() => answered(data.id))),
    ),
  chosen: ({ index, value }) => {
    if (index !== "example" || !known.example(value)) return false;
    choose(value);
    return true;
  },
  ask: (key, { index, value }) => {
    if (key !== OWN || index !== "mask-passage" || !known.passage(value)) return false;
    openPassage(value).catch(failed);
    return true;
  },
};

/** What stands on a page that has nothing to show: which file is missing, and the way on. */
function absent(error) {
  document.body.classList.add("saved", "ready");
  asTheSystem();
  page().append(
    el("header.masthead", el("h1", el("a", { href: MORE.up }, "Spanlight"))),
    el(
      "p[role=alert]",
      `${said(error)}. This page needs the folder data beside it, with all of its files. `,
      el("a", { href: MORE.up }, "All texts and lessons"),
    ),
  );
}

/** @param {(saved: any, tape: any, more: any) => void} start */
export async function edition(start) {
  let begun = false;
  try {
    site = await fetched("site");
    await follow((tape) => {
      start(site, tape, MORE);
      begun = true;
      hear("reading", write);
      ["carried", "opened"].forEach((name) => hear(name, write));
    });
  } catch (error) {
    (begun ? failed : absent)(error);
  }
  if (begun) globalThis.addEventListener("hashchange", () => follow().catch(failed));
}
