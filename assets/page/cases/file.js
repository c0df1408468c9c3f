// A file of predictions, as `python -m qa_demo evaluate --out` writes it, read in the browser: it
// goes nowhere. What is in it may be anything; only what is checked here is used.

import { caseLink, holds, isKind, isPlace, settingsOf } from "../shared/case.js";
import { readJson } from "../shared/storage.js";

export const MOST_BYTES = 100_000_000;
export const MOST_LINES = 100_000;

/**
 * @typedef {{id: string, question: string, context: string, kind: string, because: string,
 *   answer: string | null, best: {text: string, span: number[] | null} | null, gold: string[],
 *   ranges: number[][], f1: number}} Case
 * @typedef {{file: string, reader: string, weights: string, windows: number[] | null,
 *   decode: number[] | null, merge: string[] | null}} Run
 */

/** A file that cannot be used, in one sentence. */
export class WrongFile extends Error {}

const isText = (value) => typeof value === "string";
/** @param {any} value @param {number} most */
const shown = (value, most = 40) => String(value).slice(0, most);

/** @param {any} one */
const goldOf = (one) => isText(one?.text) && Number.isSafeInteger(one.char_start);

/**
 * One line as a case, or null.
 * @param {any} row
 * @returns {Case | null}
 */
function caseOf(row) {
  const texts = ["id", "question", "context", "kind"].every((name) => isText(row?.[name]));
  if (!texts || !(row.answer === null || isText(row.answer)) || !Array.isArray(row.n_best)) {
    return null;
  }
  if (
    !Number.isFinite(row.f1) || !Array.isArray(row.gold ?? []) || !(row.gold ?? []).every(goldOf)
  ) {
    return null;
  }
  const [best] = row.n_best;
  if (best !== undefined && !isText(best?.text)) return null;
  const span = best && [best.window, best.start, best.end];
  const gold = row.gold ?? [];
  return {
    id: row.id,
    question: row.question,
    context: row.context,
    kind: row.kind,
    because: isText(row.because) ? row.because : "",
    answer: row.answer,
    best: best ? { text: best.text, span: span.every(isPlace) ? span : null } : null,
    gold: [...new Set(gold.map(({ text }) => text))],
    // characters as Python counts them: one for a pair of surrogates
    ranges: gold.filter(({ char_start: at }) => at >= 0)
      .map(({ text, char_start: at }) => [at, at + [...text].length]),
    f1: row.f1,
  };
}

/**
 * The cases of a file's text. Errors: WrongFile, which names the line.
 * @param {string} text
 * @param {string} name
 */
export function parseCases(text, name) {
  /** @type {Case[]} */
  const found = [];
  let line = 0;
  for (let from = 0; from < text.length;) {
    const to = text.indexOf("\n", from) < 0 ? text.length : text.indexOf("\n", from);
    const part = text.slice(from, to).trim();
    from = to + 1;
    line += 1;
    if (!part) continue;
    if (found.length === MOST_LINES) {
      throw new WrongFile(`${name} holds more than ${MOST_LINES.toLocaleString("en")} questions.`);
    }
    const row = readJson(part), one = caseOf(row);
    if (!one) {
      throw new WrongFile(
        `${name}, line ${line} is ${
          row === null ? "not JSON" : "no prediction"
        }: a file is wanted ` +
          `that python -m qa_demo evaluate --out has written.`,
      );
    }
    found.push(one);
  }
  if (!found.length) throw new WrongFile(`${name} holds no question.`);
  return found;
}

/**
 * What the lines were made with, from predictions.run.json; null for any other text.
 * @param {string} text
 * @returns {Run | null}
 */
export function parseRun(text) {
  const found = readJson(text), options = found?.options;
  if (!isText(found?.reader) || !isText(found.weights) || !options) return null;
  return {
    file: isText(found.file) ? found.file : "",
    reader: found.reader,
    weights: found.weights,
    ...settingsOf(found),
  };
}

/**
 * The text of a file. Errors: WrongFile for one that is too large or no UTF-8.
 * @param {Blob & {name: string}} file
 */
export async function textOf(file) {
  if (file.size > MOST_BYTES) {
    throw new WrongFile(
      `${shown(file.name)} has ${Math.round(file.size / 1e6).toLocaleString("en")} MB, ` +
        `${MOST_BYTES / 1e6} are allowed.`,
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch (error) {
    if (error instanceof TypeError) throw new WrongFile(`${shown(file.name)} is not UTF-8 text.`);
    throw error;
  }
}

/**
 * The cases of the chosen files, and what they were made with where that file is among them.
 * @param {(Blob & {name: string})[]} files
 */
export async function readFiles(files) {
  /** @type {Run | null} */
  let run = null;
  /** @type {{name: string, cases: Case[]} | null} */
  let found = null;
  for (const file of files) {
    const text = await textOf(file), about = parseRun(text);
    if (about) run = about;
    else if (found) throw new WrongFile("Choose one file of predictions, and its .run.json.");
    else found = { name: shown(file.name, 80), cases: parseCases(text, shown(file.name)) };
  }
  if (!found) throw new WrongFile("Choose the file of predictions too, not only its .run.json.");
  return { ...found, run };
}

/**
 * The kinds of error with their counts, in the order of the report, unknown ones last.
 * @param {Case[]} cases
 * @param {string[]} order
 */
export function kindsOf(cases, order) {
  const counts = new Map(order.map((kind) => [kind, 0]));
  cases.forEach(({ kind }) => counts.set(kind, (counts.get(kind) ?? 0) + 1));
  return [...counts].filter(([kind, n]) => n && isKind(kind, "wrong"));
}

/**
 * The numbers of the cases that fit: a kind, "wrong" or "all", and letters that stand in them.
 * @param {Case[]} cases
 * @param {string} kind
 * @param {string} letters
 */
export function matching(cases, kind, letters) {
  const wanted = letters.trim().toLowerCase();
  return cases.flatMap((one, k) =>
    (kind === "all" || isKind(one.kind, kind)) && (!wanted || holds(one, wanted)) ? [k] : []
  );
}

/**
 * The link that opens a case at the chapter that shows its cause; the reader in use reads it.
 * @param {Case} one
 * @param {Run | null} run
 * @param {Map<string, string>} chapters
 */
export function linkOf(one, run, chapters) {
  const chapter = one.because === "window" ? "windows" : chapters.get(one.kind) ?? "answer";
  return caseLink(one, chapter, { ...run, span: one.best?.span });
}
