// The report of evaluate: every picture lies in the file, and a press picks another one.

import { el, keepingFocus } from "./dom.js";
import { all, follow, KINDS, place } from "./render.js";
import { text } from "./text.js";

// these two names stand here for store.js, which a report has not
export const BASE = document.baseURI;
const here = (name) => /** @type {HTMLElement} */ (document.querySelector(name));
const grid = el("div", { class: "blocks" }), views = new Map();
let report, state;

KINDS.link = (b) => {
  const link = el("a", { href: b.href + b.overlay, target: "_blank", rel: "noreferrer" }, b.label);
  return { node: el("p", { class: "press" }, link), overlay: (end) => link.href = b.href + end };
};

/** Words with lines under some of them. */
KINDS.paragraph = (b) => {
  const items = b.words.map(([t, gap], at) => ({ t, gap, at }));
  const segments = [{ name: "", inline: false, holds: [], items }];
  return text({ ...b, segments, height: 0, select: false });
};

/** Change what is shown; a number that is typed means the nearest stop of the slider. */
export function set(patch) {
  const stop = typeof patch.at === "number" ? { at: 2 * Math.round(patch.at / 2) } : {};
  state = { ...state, ...patch, ...stop };
  drawAll();
  if (patch.selection) here("[data-block=opened]").scrollIntoView({ block: "nearest" });
}

/** The block of a number, with those that it holds; an overlay moves without a new drawing. */
function block(number) {
  const { under, ...own } = report.blocks[number], b = { ...report.blocks[under], ...own };
  return { ...b, digest: JSON.stringify({ ...b, overlay: null }), blocks: b.blocks?.map(block) };
}

/** Draw each section as this state has it. */
function drawAll() {
  const blocks = report.sections.flatMap(({ by, of }) =>
    of[by.map((name) => state[name]).join("/")].map(block)
  );
  keepingFocus(grid, () => place(grid, blocks, views));
  follow(views, { selection: state.selection });
}

/** Unpack what lies in the file, and draw it. */
async function unpack() {
  const packed = atob(here("#report").textContent ?? "");
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  report = await new Response(plain).json();
  state = report.start;
  drawAll();
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => {
  document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
  for (const view of all(views)) view.redraw?.();
};
theme();
dark.addEventListener("change", theme);
here(".spanlight").append(el("div", { class: "report" }, grid));
unpack();
