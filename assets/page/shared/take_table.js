// Below each table of a chapter: the same as a file, and on the clipboard where there is one.

import { csv, fileName, tabbed } from "./csv.js";
import { el } from "./dom.js";
import { state } from "./store.js";

/**
 * Hand a file to whoever looks at the page.
 * @param {string} name
 * @param {Blob} content
 */
export function download(name, content) {
  const address = URL.createObjectURL(content);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * The buttons of one table. A byte order mark tells spreadsheets that the letters are UTF-8.
 * @param {{caption: string, head: string[], rows: string[][]}} data
 * @param {string} chapter
 */
export function tableTools(data, chapter) {
  const save = () =>
    download(
      `${fileName([state.reading?.example || "text", chapter, data.caption])}.csv`,
      new Blob(["\ufeff", csv(data)], { type: "text/csv" }),
    );
  const button = (name, label, act) =>
    el("button", {
      type: "button",
      class: "plain",
      "aria-label": `${label}: ${data.caption}`,
      onclick: act,
    }, name);
  const copy = navigator.clipboard &&
    button("copy", "Copy the table", () =>
      navigator.clipboard.writeText(tabbed(data)).then(() => {
        copy.textContent = "copied";
      }));
  return el("p", { class: "table-tools" }, button("CSV", "Save as CSV", save), copy);
}
