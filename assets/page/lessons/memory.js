// What this browser remembers of lessons: where one is, how far one came in each, what was guessed,
// what is done, whether the offer was declined. It stays in the browser's own storage; a guess is
// sent only to be answered.

import { keepText, readJson, storage } from "../shared/storage.js";

const NAME = "spanlight.lessons";

/** Kept for a step that could ask nothing: the lesson can be done, and another reader still asks. */
export const UNASKED = false;

/**
 * @typedef {{at: {lesson: string, step: number} | null, done: string[], declined: boolean,
 *   places: Record<string, number>, guesses: Record<string, any>,
 *   quiz: {form: string, points: number} | null}} Kept `places`: the step last seen
 *   of each lesson; `guesses`: by "lesson step", null for "show me",
 *   UNASKED where the reader showed nothing to be guessed
 */

const pairs = (/** @type {unknown} */ value) =>
  value && typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : [];

/**
 * What a stored text says; what another program may have left there counts as nothing.
 * @param {string | null | undefined} text
 * @returns {Kept}
 */
export function parse(text) {
  const { at, done, declined, places, guesses, quiz } = readJson(text) ?? {};
  const here = typeof at?.lesson === "string" && Number.isInteger(at?.step) && at.step >= 0;
  return {
    at: here ? { lesson: at.lesson, step: at.step } : null,
    done: Array.isArray(done) ? done.filter((id) => typeof id === "string") : [],
    declined: declined === true,
    places: Object.fromEntries(
      pairs(places).filter(([, step]) => Number.isInteger(step) && step >= 0),
    ),
    guesses: Object.fromEntries(pairs(guesses)),
    quiz: typeof quiz?.form === "string" && Number.isInteger(quiz?.points)
      ? { form: quiz.form, points: quiz.points }
      : null,
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

/** @param {{lesson: string, step: number}} at */
const name = ({ lesson, step }) => `${lesson} ${step}`;

/**
 * Keep the guess of a step; null is "show me", UNASKED a step that could not ask.
 * @param {{lesson: string, step: number}} at
 * @param {any} guess
 */
export const remember = (at, guess) => keep({ guesses: { ...kept().guesses, [name(at)]: guess } });

/**
 * What was guessed at a step; undefined before.
 * @param {{lesson: string, step: number}} at
 */
export const guessed = (at) => kept().guesses[name(at)];
