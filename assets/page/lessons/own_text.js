// A text of one's own in the place of the lessons': a teacher's, for this page or for the class.

import { clipped } from "../shared/prose.js";
import { keepText, readJson, storage } from "../shared/storage.js";
import { state } from "../shared/store.js";
import { quiet } from "./guess_forms.js";

const NAME = "spanlight.lesson-text";
const LONGEST = 40;

/**
 * A text, or the name of the text of one's class.
 * @typedef {{question: string, context: string} | string | null} OwnText
 */

/** The text on the page, where it is no example and not made on the bench. */
const onPage = () => {
  const { reading } = state;
  if (!reading || reading.example || reading.typed) return null;
  return { question: reading.question, context: reading.context };
};

/**
 * What this tab used before it was loaded anew.
 * @returns {OwnText}
 */
function before() {
  const { question, context } = readJson(storage("sessionStorage")?.getItem(NAME)) ?? {};
  return typeof question === "string" && typeof context === "string" ? { question, context } : null;
}

/**
 * Which text the lessons are read on; `changed()` is called when that is another one.
 * @param {() => void} changed
 */
export function makeOwnText(changed) {
  /** @type {{text: OwnText, given: OwnText, bare: boolean}} */
  const own = { text: null, given: null, bare: false };

  const set = (/** @type {OwnText} */ text) => {
    own.text = text;
    keepText("sessionStorage", NAME, JSON.stringify(text));
    changed();
  };

  return {
    /** `given` is the teacher's own text of this page, if there is one. */
    start(/** @type {OwnText} */ given) {
      own.given = given;
      own.text = before() ?? given;
    },

    /** The text in use; none where the step in hand goes by the lesson's. */
    text: () => (own.bare ? null : own.text),

    /** The step in hand is read on the lesson's own text, or again as all others. */
    bare: (/** @type {boolean} */ on) => {
      own.bare = on;
    },

    /** The class reads another text, by its name; empty for the lessons'. */
    follow: (/** @type {string} */ name) => {
      own.text = name || null;
      own.bare = false;
    },

    /** In the list of lessons: use the page's own text, or go back to those of the lessons. */
    choice() {
      if (own.text && typeof own.text !== "string") {
        const says = `Use the lessons’ texts, not “${shorten(own.text.question)}”`;
        return quiet(says, () => set(null), "own-text");
      }
      const text = onPage() ?? own.given;
      if (!text || typeof text === "string") return null;
      const says = `Use my text in the lessons: “${shorten(text.question)}”`;
      return quiet(says, () => set(text), "own-text");
    },
  };
}

const shorten = (/** @type {string} */ text) => clipped(text, LONGEST);
