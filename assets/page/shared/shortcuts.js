// Keys that work anywhere on the page: which key means what, and the list of them.

import { el } from "./dom.js";

const TYPED = "input, textarea, select, [contenteditable], [role=textbox], [role=combobox], dialog";
const NOT_TYPED = "[type=checkbox], [type=radio], [type=range], [type=button]";

/**
 * Whether a key pressed there belongs to a box: then it is a letter, not a shortcut.
 * @param {any} target
 */
export const isBox = (target) => {
  const box = target?.closest?.(TYPED);
  return Boolean(box && !box.matches(NOT_TYPED));
};

/**
 * What a key asks for, or null. A key with Ctrl, Alt or Meta belongs to the browser; on many
 * keyboards a bracket is typed with AltGr or Option.
 * @param {{key: string, ctrlKey?: boolean, altKey?: boolean, metaKey?: boolean, repeat?: boolean,
 *   isComposing?: boolean, defaultPrevented?: boolean, target?: any,
 *   getModifierState?: (name: string) => boolean}} event
 * @returns {{kind: "chapter" | "step" | "case" | "examples" | "veil" | "present" | "keys", by: number} | null}
 */
export function shortcut(event) {
  const { key, ctrlKey, altKey, metaKey } = event;
  if (event.repeat || event.isComposing || event.defaultPrevented || isBox(event.target)) {
    return null;
  }
  const step = { "[": -1, "]": 1 }[key];
  if (step) {
    const graph = event.getModifierState?.("AltGraph");
    return metaKey || (ctrlKey && !graph) ? null : { kind: "step", by: step };
  }
  if (ctrlKey || altKey || metaKey) return null;
  if (key === "n" || key === "N") return { kind: "case", by: key === "n" ? 1 : -1 };
  if (/^[1-9]$/.test(key)) return { kind: "chapter", by: Number(key) };
  const kind = /** @type {const} */ ({ e: "examples", v: "veil", p: "present", "?": "keys" })[
    key.toLowerCase()
  ];
  return kind ? { kind, by: 0 } : null;
}

/** The list of keys: what is pressed, what it does, and the part that a saved file has not. */
export const LIST = [
  ["1 to 9", "open a chapter"],
  ["[ and ]", "the step before, the next step"],
  ["E", "go to the examples", "examples-menu"],
  ["V", "cover or uncover the results"],
  ["P", "present mode on or off"],
  ["N, Shift and N", "with a file of predictions open: its next case, the one before", "cases"],
  ["?", "this list"],
  ["Tab", "into the picture, and out of it"],
  ["arrows", "move inside a picture; on a slider, change its value"],
  ["Shift and arrows", "in a text: extend the span"],
  ["Enter", "select what has the focus"],
  ["Ctrl and Z", "take back the last change by hand"],
  ["Esc", "take back what is not selected yet; then leave the picture"],
];

/** The list in a dialog; `toggle()` opens and closes it. */
export function keyList() {
  const list = el("dl");
  const box = el(
    "dialog.key-list#key-list[aria-labelledby=key-list-title]",
    el("h2#key-list-title", "Keys"),
    list,
    el("p.role-quiet", "Single keys do nothing while a box has the focus."),
    el("form[method=dialog]", el("button.side[type=submit]", "close")),
  );
  box.addEventListener("close", () => {
    // what had the focus may have been drawn anew meanwhile
    if (document.activeElement === document.body) {
      /** @type {HTMLElement | null} */
      (document.querySelector("[role=tab][aria-selected=true]"))?.focus();
    }
  });
  box.addEventListener("click", (event) => {
    if (event.target === box) box.close(); // a click beside the list
  });
  const toggle = () => {
    if (box.open) return box.close();
    const here = LIST.filter(([, , part]) => !part || document.getElementById(part));
    list.replaceChildren(...here.map(([key, does]) => el("div", el("dt", key), el("dd", does))));
    return box.showModal();
  };
  return { box, toggle };
}

/** Open the chapter with this number; the focus goes to its tab, so that Tab leads into it. */
function openChapter(number) {
  const tab = document.querySelectorAll("[role=tablist] [role=tab]")[number - 1];
  if (!(tab instanceof HTMLElement)) return;
  tab.click();
  tab.focus({ preventScroll: true });
  tab.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/**
 * Show the step before or after the open one.
 * @param {string | null} chapter
 * @param {number} by
 */
function openStep(chapter, by) {
  const steps = [...document.querySelectorAll(`#panel-${chapter} [id^="${chapter}-step-"]`)];
  const at = steps.findIndex((step) => step.getAttribute("aria-pressed") === "true");
  const to = steps[at + by];
  if (at < 0 || !(to instanceof HTMLElement)) return;
  to.click();
  document.getElementById(to.id)?.focus({ preventScroll: true });
}

/** The menu of examples gets the focus, and opens where the browser allows it. */
function goToExamples() {
  const menu = document.getElementById("examples-menu");
  if (!(menu instanceof HTMLSelectElement)) return;
  menu.focus();
  try {
    menu.showPicker();
  } catch (error) {
    // Safari has no picker to show; others refuse one without a recent key press
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
  }
}

/** Open the next case of a file of predictions, or the one before. */
function openCase(by) {
  const button = document.getElementById(by > 0 ? "cases-next" : "cases-previous");
  if (button?.checkVisibility()) button.click();
}

/**
 * Do what a key asks for.
 * @param {NonNullable<ReturnType<typeof shortcut>>} wanted
 * @param {string | null} chapter the open one
 * @param {() => void} list
 */
export function obey({ kind, by }, chapter, list) {
  if (kind === "chapter") openChapter(by);
  else if (kind === "step") openStep(chapter, by);
  else if (kind === "case") openCase(by);
  else if (kind === "examples") goToExamples();
  else if (kind === "keys") list();
  else document.getElementById(kind === "veil" ? "switch-veiled" : "switch-present")?.click();
}
