// What the author of a link locked: the texts and the reader, or the settings. It keeps a class on
// the same picture; it is no secret, and one press unlocks it.

import { hearLink, say } from "./store.js";

/** @type {[string, string][]} what may be locked, and how the panel names it */
export const LOCKS = [["texts", "texts and reader"], ["settings", "limits, sliders and logits"]];
const SETTINGS = new Set([
  "threshold",
  "max_answer_length",
  "n_best_size",
  "top_n_grid",
  "temperature",
  "bars",
  "logit",
  "merge",
  "offset",
  "tried",
  "rerun",
]);
const CONTROLS = "input, select, textarea";
/** @type {Set<string>} */
let now = new Set();

let sentence = "";

/** What is said of the locks now. */
export const lockedSays = () => sentence;

/** The names that are locked now, or null. */
export const allLocked = () => (now.size ? [...now] : null);

/** Whether a request of a picture would change what is locked. @param {string} name */
export const refuses = (name) => now.has("settings") && SETTINGS.has(name);

/**
 * Disable what is locked in a picture that was drawn.
 * @param {Element} picture
 */
export function lockControls(picture) {
  if (!now.has("settings")) return;
  picture.querySelectorAll(CONTROLS).forEach((control) => control.setAttribute("disabled", ""));
}

function show(names) {
  now = new Set(LOCKS.map(([name]) => name).filter((name) => names.includes(name)));
  LOCKS.forEach(([name]) => document.body.classList.toggle(`locked-${name}`, now.has(name)));
  const said = LOCKS.filter(([name]) => now.has(name)).map(([, label]) => label);
  sentence = said.length ? `The author of this link has locked ${said.join(", and ")}.` : "";
  say("locked", sentence);
}

/** Free everything. */
export function unlock() {
  const held = document.querySelectorAll(".stage");
  const settings = now.has("settings");
  show([]);
  if (settings) {
    held.forEach((stage) =>
      stage.querySelectorAll(CONTROLS).forEach((control) => control.removeAttribute("disabled"))
    );
  }
  say("look", "locked"); // what is disabled for a reason of its own is drawn so again
}

hearLink(({ lock }) => show(Array.isArray(lock) ? lock : []));
