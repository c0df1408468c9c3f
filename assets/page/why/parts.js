// What the steps of chapter 9 share: the line that stands where a picture is not there yet, menus,
// signed numbers.

import { el } from "../shared/dom.js";
import { needsPage } from "../shared/needs_page.js";
import { fixed, units } from "../shared/numbers.js";

/** Characters of the text on each side of the marked words while the reader is awaited. */
const AROUND = 320;

/**
 * "waiting", or the reader's refusal with a way to ask again where there is a reader; nothing once
 * the answer is there.
 * @param {any} model
 * @param {any} request
 * @param {any} found
 * @param {string} [coming] what will stand here: it is said, over the text that is known already
 */
export function missing(model, request, found, coming) {
  if (found?.data) return [];
  if (!found) {
    const line = el("p.waiting.role-quiet[role=status]", coming ?? "waiting for the reader");
    return coming ? [line, ...known(model)] : [line];
  }
  if (model.page.reading.saved) return [el("p.role-quiet", needsPage(found.error))];
  const again = el("button.act", { onclick: () => model.again(request) }, "try again");
  return [el("p.refused", found.error, " ", again)];
}

/** The stored reading's text, its selected words marked. */
function known({ page: { reading }, chosen }) {
  const { context, tokens } = reading;
  const [a, b] = [tokens[chosen.start].start, tokens[chosen.end].end];
  const [from, to] = [Math.max(0, a - AROUND), Math.min(context.length, b + AROUND)];
  return [
    el("p.coming-question[dir=auto]", reading.question),
    el(
      "p.coming-text[dir=auto]",
      (from ? "…" : "") + context.slice(from, a),
      el("span.mark-selected", context.slice(a, b)),
      context.slice(b, to) + (to < context.length ? "…" : ""),
    ),
  ];
}

export function signed(x, digits = 2) {
  if (x !== 0 && units(x, digits) === 0n) return `< ${fixed(10 ** -digits, digits)}`;
  return `${x > 0 ? "+" : ""}${fixed(x, digits)}`;
}

/** The text of a word: pieces of the question or of the paragraph, joined as typed. */
export function wordText({ page, seats, w }, word) {
  const { text, at, offsets } = seats.question;
  const found = [...seats.of.keys()].filter((p) => seats.of[p] === word);
  const [first, last] = [found[0], found.at(-1)];
  if (first >= w.contextAt) {
    const { tokens, context } = page.reading;
    return context.slice(tokens[w.doc(first)].start, tokens[w.doc(last)].end);
  }
  return text.slice(offsets[2 * (first - at)], offsets[2 * (last - at) + 1]);
}
