// The one sentence that a chapter opens with, taken from what Python says of the picture: as many
// of its first sentences as thirty words hold, the others behind "more". A word that it quotes
// selects what it names.

import { el, glued, pressed } from "./dom.js";
import { select, state } from "./store.js";

export const MOST_WORDS = 30;
/** What one line holds on a wall, where the picture needs the height. */
const PRESENTED = 20;
/** Python isolates what it quotes (figures/prose.py), so that a text's own full stop ends nothing. */
const QUOTE = /\u2068([^\u2069]*)\u2069/g;
const SENTENCE = /[.!?]\s+(?=[\p{Lu}\d“])/gu;

/**
 * A notice as its finding and the rest; the first sentence is a finding however long it is.
 * @param {string} text
 * @param {number} [most]
 * @returns {[string, string]}
 */
export function findingOf(text, most = MOST_WORDS) {
  const masked = text.replaceAll(QUOTE, (quote) => "q".repeat(quote.length));
  const ends = [...masked.matchAll(SENTENCE)].map(({ index }) => index + 1).concat(text.length);
  const fits = ends.filter((end) => text.slice(0, end).split(/\s+/).length <= most);
  const end = fits.at(-1) ?? ends[0];
  return [text.slice(0, end), text.slice(end).trim()];
}

/**
 * Where a quotation stands in the paragraph, in tokens, if it stands there once. One without its
 * middle, whose end stands there again, is the reader's answer, if it can be.
 * @param {string} quote
 * @param {{context: string, tokens: {start: number, end: number}[]}} reading
 * @param {{start: number, end: number} | null} [answer]
 * @returns {{start: number, end: number} | null}
 */
export function placeOf(quote, { context, tokens }, answer) {
  const same = tokens.flatMap(({ start, end }, d) =>
    context.slice(start, end).trim() === quote ? [d] : []
  );
  if (same.length) return same.length === 1 ? { start: same[0], end: same[0] } : null;
  const [head, tail = ""] = quote.split(" … ");
  const from = context.indexOf(head);
  if (!head || from < 0 || from !== context.lastIndexOf(head)) return null;
  const start = tokens.findIndex((token) => token.end > from);
  const last = tail || head;
  const ends = [];
  let at = context.indexOf(last, tail ? from + head.length : from);
  for (; at >= 0; at = context.indexOf(last, at + 1)) {
    ends.push(tokens.findLastIndex((token) => token.start < at + last.length));
  }
  const mine = ends.find((end) => start === answer?.start && end === answer.end);
  const end = ends.length === 1 ? ends[0] : mine ?? -1;
  return start < 0 || end < start ? null : { start, end };
}

/** A sentence with what it quotes as buttons, where the paragraph holds it once. */
function linked(text) {
  // with its quotation marks: a line must not end on an opening one
  return text.split(/(“?\u2068[^\u2069]*\u2069”?)/).map((part) => {
    const quote = /\u2068([^\u2069]*)\u2069/.exec(part)?.[1] ?? null;
    const span = quote && state.reading && placeOf(quote, state.reading, state.predicted);
    return span ? named(part, () => select(span)) : glued(part);
  });
}

/** A quotation to press. It breaks with its line, as a button, which is a box, does not. */
const named = (/** @type {string} */ text, /** @type {() => void} */ press) =>
  el("span.named[role=button][tabindex=0]", pressed(press), text);

/** {root, say(text)}: the finding and, folded, what else there is to say. */
export function finding() {
  const first = el("p.finding[data-part=finding]");
  const rest = el("p");
  const more = el("details.fold.more", el("summary", "more"), rest);
  const root = el("div.notice", first);
  let said = "";
  return {
    root,
    say(text) {
      const presents = document.body.classList.contains("present");
      // said again by a redraw: focus, an open fold and underlined terms stay
      const now = `${document.body.className} ${state.reading?.stamp} ${text}`;
      if (now === said) return;
      said = now;
      const [found, others] = findingOf(text, presents ? PRESENTED : MOST_WORDS);
      first.replaceChildren(...linked(found));
      rest.replaceChildren(...linked(others));
      more.remove();
      if (!others) return;
      // a lesson asks for numbers that stand in it
      if (document.body.classList.contains("lessons")) more.setAttribute("open", "");
      root.append(more);
    },
  };
}
