// The part in question is outlined, the rest of the page stands at 40 % until the guess is made. Pictures are drawn anew at
// any time, so the marks are set again whenever nodes come or go.

import { untilTouched } from "../shared/visit.js";

const COLUMN = "main.contain > .column";
/** @type {{selectors: string[], dim: boolean, due: boolean, watch: MutationObserver | null}} */
const light = { selectors: [], dim: true, due: false, watch: null };

function clear() {
  document.querySelectorAll(".lit, .unlit").forEach((node) =>
    node.classList.remove("lit", "unlit")
  );
}

/**
 * Of a picture that is covered, what covers it: else two outlines would stand in one another.
 * @param {Element[]} found
 */
const uncrossed = (found) => {
  const covers = found.filter((node) => node.matches(".veil-text"));
  return found.filter((node) =>
    covers.includes(node) || !covers.some(({ parentElement }) => parentElement?.contains(node))
  );
};

/** Whether anything of a part can be seen: a frame around what is covered says nothing. */
const seen = (/** @type {Element} */ node) =>
  node.getClientRects().length > 0 &&
  (!(node instanceof HTMLElement) || node.innerText.trim() !== "");

/** The line of what is under way lies over the page and stays readable. */
const SAYS = ".say-line";

/** Where one looks while all that is asked for is covered. */
const TEXT = [".stage .reading-text", ".veil-text"];

const find = (/** @type {string[]} */ selectors) =>
  uncrossed(selectors.flatMap((selector) => [...document.querySelectorAll(selector)]).filter(seen));

function paint() {
  light.due = false;
  clear();
  const column = document.querySelector(COLUMN);
  const asked = find(light.selectors);
  const found = asked.length || !light.selectors.length ? asked : find(TEXT);
  if (!column || !found.length) return;
  const kept = new Set();
  for (const node of found) {
    node.classList.add("lit");
    for (let up = node; up && up !== column; up = up.parentElement ?? column) kept.add(up);
  }
  const dim = (/** @type {Element} */ parent) => {
    for (const child of parent.children) {
      if (child.matches(`.lit, #lessons, #header, #bench, ${SAYS}`)) continue;
      if (kept.has(child) || child.querySelector(SAYS)) dim(child);
      else child.classList.add("unlit");
    }
  };
  if (light.dim) dim(column);
}

function schedule() {
  if (light.due) return;
  light.due = true;
  requestAnimationFrame(paint);
}

/**
 * Point at the parts that these selectors find; none lets the page stand as it is.
 * @param {string[]} selectors
 * @param {boolean} [dim] whether the rest stands back
 */
export function pointAt(selectors, dim = true) {
  Object.assign(light, { selectors, dim });
  light.watch ??= new MutationObserver(schedule);
  light.watch.disconnect();
  const column = document.querySelector(COLUMN);
  if (selectors.length && column) {
    light.watch.observe(column, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ["hidden"],
    });
    // the veil's own switch uncovers what was not worth a frame
    light.watch.observe(document.body, { attributes: true, attributeFilter: ["class"] });
  }
  schedule();
}

/**
 * Where a part is scrolled to in the room that the strip leaves: a part that fits as little as
 * needed, a taller one to its beginning.
 * @param {number} height
 * @param {number} room
 * @returns {ScrollLogicalPosition}
 */
export const landing = (height, room) => (height > room ? "start" : "nearest");

/** Where a step for pencil and paper says so. */
const byHand = () =>
  [...document.querySelectorAll("body.by-hand .chapter-head")].find((node) =>
    node.getClientRects().length
  );

const SETTLES = 3000;
/** Ends the watch over a part that was brought into sight. */
let settled = () => {};

/** Bring the lit part into sight, and again as what stands in it comes, until one moves the page. */
export function showLit() {
  settled();
  if (light.due) paint(); // else the part that the step asked about is still the lit one
  const lit = document.querySelector(".lit") ?? byHand();
  if (!lit) return;
  land(lit);
  settled = untilTouched(lit, () => land(lit));
  setTimeout(settled, SETTLES);
}

/** On a phone the strip lies over the lower third of the page. */
function land(/** @type {Element} */ lit) {
  const strip = document.querySelector(".lesson-strip");
  const below = strip && strip.getBoundingClientRect().left <= 0;
  const room = below ? strip.getBoundingClientRect().top : window.innerHeight;
  lit.scrollIntoView({ block: landing(lit.getBoundingClientRect().height, room) });
}
