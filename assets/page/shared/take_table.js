// Below each table of a chapter: the same as a file, and on the clipboard where there is one.

import { csv, fileName, tabbed } from "./csv.js";
import { el } from "./dom.js";
import { state } from "./store.js";
import { copyButton, download, takeButton } from "./take.js";

/**
 * The name of a file of what is on screen.
 * @param {string} chapter
 * @param {string} what
 */
export const nameOf = (chapter, what) =>
  fileName([state.reading?.example || "text", chapter, what].filter(Boolean));

/**
 * Save a table as CSV. A byte order mark tells spreadsheets that the letters are UTF-8.
 * @param {string} name of the file
 * @param {{head: string[], rows: string[][]}} data
 */
export const saveCsv = (name, data) => download(`${name}.csv`, ["\ufeff", csv(data)], "text/csv");

/**
 * The buttons of one table.
 * @param {{caption: string, head: string[], rows: string[][]}} data
 * @param {string} chapter
 */
export function tableTools(data, chapter) {
  const save = () => saveCsv(nameOf(chapter, data.caption), data);
  return el(
    "p.table-tools",
    takeButton("CSV", `Save as CSV: ${data.caption}`, save),
    copyButton(`Copy the table: ${data.caption}`, () => tabbed(data)),
  );
}
