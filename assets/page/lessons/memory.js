// What this browser remembers of lessons: where one is, what is done, whether the offer was
// declined. It stays in the browser's own storage; nothing of it is sent.

import { keepText, readJson, storage } from "../shared/storage.js";

const NAME = "spanlight.lessons";

/** @typedef {{at: {lesson: string, step: number} | null, done: string[], declined: boolean}} Kept */

/**
 * What a stored text says; what another program may have left there counts as nothing.
 * @param {string | null | undefined} text
 * @returns {Kept}
 */
export function parse(text) {
  const { at, done, declined } = readJson(text) ?? {};
  const here = typeof at?.lesson === "string" && Number.isInteger(at?.step) && at.step >= 0;
  return {
    at: here ? { lesson: at.lesson, step: at.step } : null,
    done: Array.isArray(done) ? done.filter((id) => typeof id === "string") : [],
    declined: declined === true,
  };
}

/** @returns {Kept} */
export const kept = () => parse(storage("localStorage")?.getItem(NAME));

/**
 * Change some of it. A full or forbidden storage forgets, and the lesson goes on.
 * @param {Partial<Kept>} change
 */
export const keep = (change) =>
  keepText("localStorage", NAME, JSON.stringify({ ...kept(), ...change }));
