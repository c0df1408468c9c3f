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

/** A block with its digest, and in a figure the thresholds of this state. */
const dress = (b, digest) =>
  Object.assign(b, { digest, overlay: REPORT.lines[b.lines]?.[state.at] });

/** The blocks of a section as this state has them, each named by what of the state it shows. */
function shown({ blocks, by, of }) {
  const at = by.map((name) => state[name]).join("/"), made = structuredClone(blocks);
  for (const b of made) dress(b, b.key);
  for (const [path, value] of Object.entries(of[at])) {
    const [k, ...keys] = path.split("."), last = /** @type {string} */ (keys.pop());
    keys.reduce((part, key) => part[key], made[k])[last] = value;
    made[k].digest = `${made[k].key} ${at}`;
  }
  return made;
}

function draw() {
  const blocks = REPORT.sections.flatMap(shown), one = REPORT.opened[state.selection];
  for (const b of one?.blocks ?? []) dress(b, state.selection);
  if (one) blocks.push(one);
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
