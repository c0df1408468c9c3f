// A term is explained where it stands: its first use on a chapter's screen is underlined with dots;
// pointing at it, Tab or a tap says one sentence, the number here, the lesson.

import { el } from "../shared/dom.js";
import { fixed } from "../shared/numbers.js";
import { hear, say, state } from "../shared/store.js";
import { middle, tip } from "../shared/tip.js";

/** @typedef {{id: string, names: string[], text: string, lesson: string | null, number: string | null}} Term */

// no captions: a table with a role of its own may hold rows alone
const LEGENDS = [".legend", ".w-legend", ".bio-legend", ".spans-legend"];
const PLACES = [".question", ".formula-line", ".notice", ...LEGENDS, "th[scope=col]"];
const LEFT = "button, summary, svg, bdi, input, select, .selected-text, .term";
const A_TAP = 500;

/** What a term is on this screen, in a few words; "" where there is nothing to say. */
const NUMBERS = {
  logits: ({ record }) =>
    record?.start_logit ? `here ${record.start_logit} and ${record.end_logit}` : "",
  score: ({ record }) => (record?.score ? `here ${record.score}` : ""),
  span: ({ selection }) =>
    selection ? `the selected one has ${selection.end - selection.start + 1} word pieces` : "",
  pieces: ({ reading }) => (reading ? `this paragraph has ${reading.tokens.length}` : ""),
  windows: ({ reading }) => (reading ? `here ${reading.windows.length}` : ""),
  null: ({ reading, predicted }) => {
    const w = reading?.windows[predicted?.window ?? 0];
    return w ? `here ${fixed(w.start[w.clsAt] + w.end[w.clsAt])} in window ${w.index + 1}` : "";
  },
  threshold: ({ record }) => record ? `here ${fixed(record.threshold)}` : "",
  temperature: ({ reading }) => (reading ? `here ${reading.temperature}` : ""),
  probability: ({ record }) => {
    const said = record?.verdict;
    return said?.sure ? `the ${said.answered ? "answer" : "guess"}'s: ${said.sure.value}` : "";
  },
};

const escape = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * One pattern for all names, longer ones first, at the borders of words.
 * @param {Term[]} terms
 */
export function pattern(terms) {
  const names = terms.flatMap((term) => term.names).sort((a, b) => b.length - a.length);
  return new RegExp(`(?<![\\p{L}\\d_-])(?:${names.map(escape).join("|")})(?![\\p{L}\\d_-])`, "giu");
}

/**
 * Where terms stand in a text for the first time: [{term, from, to}]; those of `met` are left out, and
 * what is found joins them.
 * @param {string} text
 * @param {RegExp} names
 * @param {Map<string, Term>} byName
 * @param {Set<string>} met
 */
export function firstUses(text, names, byName, met) {
  const found = [];
  for (const match of text.matchAll(names)) {
    const term = byName.get(match[0].toLowerCase());
    if (!term || met.has(term.id)) continue;
    met.add(term.id);
    found.push({ term, from: match.index, to: match.index + match[0].length });
  }
  return found;
}

/**
 * Underline the terms of the open chapter from now on.
 * @param {Term[]} terms
 * @param {{id: string, title: string}[]} lessons
 */
export function explain(terms, lessons) {
  const names = pattern(terms);
  const byName = new Map(terms.flatMap((t) => t.names.map((name) => [name.toLowerCase(), t])));
  const box = tip({ class: "term-tip" });
  document.body.append(box.node);
  let shownAt = 0;

  const show = (node, term) => {
    const number = term.number ? NUMBERS[term.number]?.(state) : "";
    const k = lessons.findIndex(({ id }) => id === term.lesson);
    box.show(
      middle(node),
      `${term.text}${number ? ` Now: ${number}.` : ""}`,
      k < 0 ? "" : ` Press for lesson ${k + 1}.`,
    );
    shownAt = performance.now();
  };

  const go = (term) => {
    box.hide();
    if (lessons.some(({ id }) => id === term.lesson)) {
      say("lesson", { lesson: term.lesson, step: 0 });
    }
  };

  const mark = (term, text) => {
    const node = el("span.term[role=term][tabindex=0]", {
      "aria-description": term.text,
      onpointerenter: () => show(node, term),
      onpointerleave: box.hide,
      onfocus: () => show(node, term),
      onblur: box.hide,
      // a tap gives focus and presses at once: the first one only explains
      onclick: () => performance.now() - shownAt > A_TAP && go(term),
      onkeydown: (event) => {
        if (event.key === "Escape") box.hide();
        if (event.key === "Enter") go(term);
      },
    }, text);
    return node;
  };

  const walk = (panel) => {
    const met = new Set([...panel.querySelectorAll(".term")].map((node) => node.dataset.term));
    for (const place of panel.querySelectorAll(PLACES.join(", "))) {
      const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
      const nodes = [];
      while (texts.nextNode()) nodes.push(texts.currentNode);
      for (const node of nodes) wrap(/** @type {Text} */ (node), met);
    }
  };

  const wrap = (node, met) => {
    if (node.parentElement?.closest(LEFT)) return;
    for (const { term, from, to } of firstUses(node.data, names, byName, met).reverse()) {
      const rest = node.splitText(from);
      rest.splitText(to - from);
      const marked = mark(term, rest.data);
      marked.dataset.term = term.id;
      rest.replaceWith(marked);
    }
  };

  const look = () => {
    const panel = document.getElementById(`panel-${state.chapter}`);
    if (panel) walk(panel);
  };
  /** @type {any} */
  let due = 0;
  // once all who hear the event have drawn, so that Tab never meets a term that comes late; and
  // again for what a chapter draws by itself
  const schedule = () => {
    queueMicrotask(look);
    clearTimeout(due);
    due = setTimeout(look, 150);
  };
  ["reading", "opened", "selection", "look", "drawn"].forEach((name) => hear(name, schedule));
  schedule();
}
