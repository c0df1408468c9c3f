// The report of evaluate: every picture lies in the file, and a press picks another one.

import { el, keepingFocus } from "./dom.js";
import { all, follow, KINDS, place } from "./render.js";
import { text } from "./text.js";

// these two names stand here for store.js, which a report has not
export const BASE = document.baseURI;
const here = (name) => /** @type {HTMLElement} */ (document.querySelector(name));
const REPORT = JSON.parse(here("#report").textContent ?? "");
const grid = el("div", { class: "blocks" }), views = new Map();
let state = REPORT.start;

KINDS.link = (b) => ({
  node: el(
    "p",
    { class: "press" },
    el("a", { href: b.href, target: "_blank", rel: "noreferrer" }, b.label),
  ),
});

/** A paragraph as words, with lines under some of its characters. */
KINDS.paragraph = (b) => {
  const length = (piece) => [...piece].length; // the server counts code points
  const items = [...b.text.matchAll(/\S+/g)].map((w) => {
    const at = length(b.text.slice(0, w.index));
    return { t: w[0], gap: " ", at: [at, at + length(w[0]) - 1] };
  });
  const segments = [{ name: "", inline: false, holds: [], items }];
  return text({ ...b, segments, height: 0, select: false });
};

/** Change what is shown. */
export function set(patch) {
  state = { ...state, ...patch };
  draw();
}

/** Put a value at a path of a block. */
function put(block, path, value) {
  const keys = path.split("."), last = /** @type {string} */ (keys.pop());
  keys.reduce((at, key) => at[key], block)[last] = value;
}

/** The block as this state has it, named by what of the state it shows; null where it is not shown. */
function shown(block) {
  for (const [name, value] of Object.entries(block.when ?? {})) {
    if (state[name] !== value) return null;
  }
  const { by = [], of = {}, over, ...own } = block, made = structuredClone(own);
  const at = by.map((name) => state[name]).join("/");
  for (const [path, value] of Object.entries(of[at] ?? {})) put(made, path, value);
  made.digest = at in of && Object.keys(of[at]).length ? `${block.key} ${at}` : block.key;
  if (over) made.overlay = { shapes: REPORT.overlays[over][state.at], annotations: [] };
  if (made.blocks) made.blocks = block.blocks.map(shown).filter(Boolean);
  return made;
}

function draw() {
  const blocks = REPORT.blocks.map(shown).filter(Boolean);
  keepingFocus(grid, () => place(grid, blocks, views));
  follow(views, { selection: state.selection });
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => {
  document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
  for (const view of all(views)) view.themed?.();
};
theme();
dark.addEventListener("change", theme);
here(".spanlight").append(grid);
draw();
