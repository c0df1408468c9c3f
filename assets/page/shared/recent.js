// The readers that were used in this browser: their names, and what was known of each when it was
// loaded. Only the browser keeps them, so what stands there may be anything.

import { keepText, readJson, storage } from "./storage.js";

const NAME = "spanlight.readers";
const MOST = 6;
const LONGEST = 200;
const ABOUT = 300;

/** @typedef {{source: string, about: string}} Recent */

/** @param {any} one @returns {one is Recent} */
const fits = (one) =>
  typeof one?.source === "string" && typeof one.about === "string" && one.source.trim() !== "" &&
  one.source.length <= LONGEST && one.about.length <= ABOUT;

/**
 * The readers that a stored text names, each once, at most six; what does not fit is dropped.
 * @param {string | null | undefined} text
 * @returns {Recent[]}
 */
export function parseRecent(text) {
  const found = readJson(text);
  /** @type {Map<string, Recent>} */
  const kept = new Map();
  for (const one of Array.isArray(found) ? found : []) {
    if (fits(one) && kept.size < MOST && !kept.has(one.source)) {
      kept.set(one.source, { source: one.source, about: one.about });
    }
  }
  return [...kept.values()];
}

/**
 * The list with one reader in front.
 * @param {Recent[]} list
 * @param {Recent} one
 */
export const withRecent = (list, one) =>
  fits(one) ? [one, ...list.filter(({ source }) => source !== one.source)].slice(0, MOST) : list;

export const recent = () => parseRecent(storage("localStorage")?.getItem(NAME));

/** @param {Recent[]} list */
export const keepRecent = (list) => keepText("localStorage", NAME, JSON.stringify(list));
