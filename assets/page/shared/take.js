// What one takes along from the page: a file, or a text on the clipboard.

import { el } from "./dom.js";

/**
 * Hand a file to whoever looks at the page.
 * @param {string} name
 * @param {BlobPart[]} content
 * @param {string} type
 */
export function download(name, content, type) {
  const address = URL.createObjectURL(new Blob(content, { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * A plain button; `label` is its whole name where the word on it says too little.
 * @param {string} name
 * @param {string | null} label
 * @param {() => any} act
 */
export const takeButton = (name, label, act) =>
  el("button.plain", { "aria-label": label, onclick: act }, name);

/**
 * A button that copies, and says so until it is asked for another text; nothing where a page may
 * not use the clipboard (plain http).
 * @param {string | null} label
 * @param {() => string} text
 */
export function copyButton(label, text) {
  if (!navigator.clipboard) return null;
  const button = takeButton("copy", label, () =>
    navigator.clipboard.writeText(text()).then(() => {
      button.textContent = "copied";
    }));
  return button;
}
