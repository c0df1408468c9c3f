// Every change by hand in one place, beside the question: "changed by hand: threshold 8.42, 2 logits",
// with a button that gives all back; Ctrl+Z takes back the last one.

import { el } from "./dom.js";
import { isBox } from "./shortcuts.js";
import { ask, hear, state } from "./store.js";

/** Fields of a link that a hand changes, as Python names them (views/by_hand.py). */
export const PARTS = ["logits", "offset", "temperature", "decode", "merge", "gold", "marks", "bio"];
/** Changes of one thing that follow each other sooner are one. */
const PAUSE = 500;
const MOST = 100;

/**
 * The changes in their order; a drag is one however many values it sends.
 * @param {() => number} now milliseconds
 */
export function history(now = () => performance.now()) {
  /** @type {(() => void)[]} */
  const undo = [];
  let name = "", at = 0, held = false;
  return {
    /** @param {boolean} down whether a pointer is pressed */
    press(down) {
      held = down;
      if (down) name = "";
    },
    /** @param {string} what @param {() => void} back */
    push(what, back) {
      const one = what === name && (held || now() - at < PAUSE);
      [name, at] = [what, now()];
      if (one) return;
      undo.push(back);
      if (undo.length > MOST) undo.shift();
    },
    pop() {
      name = "";
      return undo.pop();
    },
    clear() {
      undo.length = 0;
    },
  };
}

const done = history();
/** What the browser alone knows, by name: its words and the way back. */
const local = new Map();
let show = () => {};
let replaying = false;

/**
 * Something that Python does not know of was changed: `back` is how it was before, `none` how it
 * starts; without words it is as it starts.
 * @param {string} name
 * @param {string} words
 * @param {{back: () => void, none: () => void}} ways
 */
export function changedHere(name, words, { back, none }) {
  if (words) local.set(name, { words, none });
  else local.delete(name);
  if (!replaying) done.push(name, back);
  show();
}

/** The line; it is empty while nothing is changed. */
export function byHand() {
  const says = el("span");
  const root = el(
    "span.by-hand[hidden]",
    says,
    el("button.plain", {
      title: "as the reader has it; Ctrl+Z takes back the last change",
      onclick: () => {
        for (const { none } of [...local.values()]) none();
        if (state.record?.changed.length) ask("back", {});
      },
    }, "reset"),
  );
  show = () => {
    const all = [...state.record?.changed ?? [], ...[...local.values()].map((one) => one.words)];
    root.toggleAttribute("hidden", !all.length);
    document.body.classList.toggle("changed", all.length > 0);
    says.textContent = `changed by hand: ${all.join(", ")}`;
  };
  let before = "", place = "", undoing = false;
  hear("selection", () => {
    const { reading, record } = state;
    if (!reading || record?.stamp !== reading.stamp) return;
    const parts = Object.fromEntries(PARTS.map((name) => [name, record.link[name] ?? null]));
    const now = JSON.stringify(parts);
    const here = [reading.question, reading.context, reading.reader].join("\u0001");
    if (here !== place) done.clear();
    else if (now !== before && !undoing) {
      const then = JSON.parse(before);
      const [first] = PARTS.filter((name) =>
        JSON.stringify(parts[name]) !== JSON.stringify(then[name])
      );
      done.push(first, () => {
        undoing = true;
        ask("back", then);
      });
    }
    if (now !== before) undoing = false;
    [before, place] = [now, here];
    show();
  });
  addEventListener("pointerdown", () => done.press(true), true);
  ["pointerup", "pointercancel"].forEach((kind) =>
    addEventListener(kind, () => done.press(false), true)
  );
  document.addEventListener("keydown", (event) => {
    const undo = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey &&
      event.key.toLowerCase() === "z";
    if (!undo || event.defaultPrevented || isBox(event.target)) return;
    const last = done.pop();
    if (!last) return;
    event.preventDefault();
    replaying = true;
    last();
    replaying = false;
  });
  return root;
}
