// What differs between two readings of one text, in sentences.

import { perWord, wordsOf } from "./mirrored.js";
import { fixed, probability } from "./numbers.js";

/** A start or end that moves by less is not spoken of. */
const LEAST = 0.05;

const quoted = (text) => `“${text}”`;

/**
 * The characters from start to end, counted as Python counts them.
 * @param {string} text
 * @param {number[]} range
 */
export const cut = (text, [start, end]) => [...text].slice(start, end).join("");

/** Where one reading's best span stands in the list of the other. */
function inList(text, best, own, other) {
  const at = other.n.findIndex(([start, end]) => start === best[0] && end === best[1]);
  const what = quoted(cut(text, best));
  if (at < 0) return `${other.name} does not list ${what}, the best span of ${own.name}.`;
  return `${other.name} has ${what}, the best span of ${own.name}, in place ${at + 1}, ${
    fixed(other.n[0][2] - other.n[at][2])
  } below its own.`;
}

/** Why a reading gives no answer, or gives one. */
function limit({ name, score_diff, limit, answer }) {
  if (score_diff === null || limit === null) return "";
  const side = answer === null ? "above" : "not above";
  const does = answer === null ? "withholds its best span" : "answers";
  return `${name} ${does}: no answer leads by ${fixed(score_diff)}, ${side} its limit ${
    fixed(limit)
  }.`;
}

/** The word whose chance of being the start (or end) differs most. */
function furthest(words, role, a, b) {
  const [p, q] = [a, b].map((reading) => perWord(words, reading[role]));
  const at = words.reduce(
    (top, _, k) => Math.abs(p[k] - q[k]) > Math.abs(p[top] - q[top]) ? k : top,
    0,
  );
  if (!words.length || Math.abs(p[at] - q[at]) < LEAST) return "";
  return `The ${role} moved most at ${quoted(words[at].text)}: ${
    probability(p[at], 2)
  } by ${a.name}, ${probability(q[at], 2)} by ${b.name}.`;
}

/**
 * @param {string} text
 * @param {import("./mirrored.js").Shown} a
 * @param {import("./mirrored.js").Shown} b
 * @returns {string[]}
 */
export function moved(text, a, b) {
  const [first, second] = [a.n[0], b.n[0]];
  if (!first || !second) {
    const read = first ? a.name : second ? b.name : null;
    return [read ? `Only ${read} lists a span.` : "Neither reader lists a span."];
  }
  const same = first[0] === second[0] && first[1] === second[1];
  const words = wordsOf(text);
  const far = (a.windows ?? 1) > 1 && first[3] !== second[3];
  const differs = (a.answer === null) !== (b.answer === null);
  return [
    ...(same
      ? [`Both put ${quoted(cut(text, first))} first.`]
      : [inList(text, first, a, b), inList(text, second, b, a)]),
    ...(differs ? [limit(a), limit(b)] : []),
    far ? `The chosen window moved from ${first[3] + 1} to ${second[3] + 1}.` : "",
    furthest(words, "start", a, b),
    furthest(words, "end", a, b),
  ].filter(Boolean);
}
