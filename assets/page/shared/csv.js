// A table as a file of rows: to be opened in a spreadsheet, or pasted into one.

const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?\d[\d,]*(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * A cell that no spreadsheet runs: what begins like a formula and is no number gets an apostrophe.
 * The minus of print becomes that of numbers.
 * @param {any} text
 */
export function cell(text) {
  const plain = String(text ?? "").replace(/^−(?=\d)/, "-");
  return FORMULA.test(plain) && !NUMBER.test(plain) ? `'${plain}` : plain;
}

/** @param {string} text */
const quoted = (text) => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/**
 * A table as CSV, RFC 4180.
 * @param {{head: string[], rows: string[][]}} table
 */
export const csv = ({ head, rows }) =>
  [head, ...rows].map((row) => row.map((text) => quoted(cell(text))).join(",") + "\r\n").join("");

/**
 * The same as lines of tabs, which a spreadsheet takes from the clipboard.
 * @param {{head: string[], rows: string[][]}} table
 */
export const tabbed = ({ head, rows }) =>
  [head, ...rows].map((row) =>
    row.map((text) => cell(text).replaceAll(/[\t\r\n]+/g, " ")).join("\t")
  )
    .join("\n");

/**
 * A name for a file: what it is of, the chapter, what it holds, and the day.
 * @param {string[]} parts
 * @param {Date} [day]
 */
export function fileName(parts, day = new Date()) {
  const date = [day.getFullYear(), day.getMonth() + 1, day.getDate()]
    .map((n) => String(n).padStart(2, "0")).join("-");
  const plain = [...parts, date].map((part) =>
    part.normalize("NFKD").replaceAll(/\p{M}/gu, "").replaceAll(/[^\w]+/g, "-").replaceAll(
      /^-+|-+$/g,
      "",
    ).slice(0, 40)
  );
  return ["spanlight", ...plain].filter(Boolean).join("-").toLowerCase();
}
