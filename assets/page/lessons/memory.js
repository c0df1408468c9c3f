// What this browser remembers of lessons: where one is, what is done, whether the offer was
// declined. It stays in the browser's own storage; nothing of it is sent.

const NAME = "spanlight.lessons";

/** @typedef {{at: {lesson: string, step: number} | null, done: string[], declined: boolean}} Kept */

/** @returns {Storage | null} A browser may refuse its storage, which it says by an error. */
function storage() {
  try {
    return window.localStorage;
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

/**
 * What a stored text says; what another program may have left there counts as nothing.
 * @param {string | null | undefined} text
 * @returns {Kept}
 */
export function parse(text) {
  /** @type {any} */
  let found = null;
  try {
    found = JSON.parse(text ?? "null");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const { at, done, declined } = found ?? {};
  const here = typeof at?.lesson === "string" && Number.isInteger(at?.step) && at.step >= 0;
  return {
    at: here ? { lesson: at.lesson, step: at.step } : null,
    done: Array.isArray(done) ? done.filter((id) => typeof id === "string") : [],
    declined: declined === true,
  };
}

/** @returns {Kept} */
export const kept = () => parse(storage()?.getItem(NAME));

/**
 * Change some of it. A full or forbidden storage forgets, and the lesson goes on.
 * @param {Partial<Kept>} change
 */
export function keep(change) {
  try {
    storage()?.setItem(NAME, JSON.stringify({ ...kept(), ...change }));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}
