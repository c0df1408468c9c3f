// The ways in which a step asks. Each makes {root, focus?}; `commit(guess)` is called once.

import { form as typing, textBox } from "../shared/controls.js";
import { el, put } from "../shared/dom.js";
import { chipLoss } from "../shared/guess.js";
import { fixed } from "../shared/numbers.js";
import { bus, state, textOf } from "../shared/store.js";

/**
 * A button.
 * @param {string} text
 * @param {() => void} act
 * @param {Record<string, any>} [more]
 */
export const button = (text, act, more = {}) =>
  el("button.strip-button", { onclick: act, ...more }, text);

/**
 * A button that is a line of text of its own.
 * @param {string} text
 * @param {() => void} act
 * @param {string} [kind]
 */
export const quiet = (text, act, kind = "") =>
  button(text, act, { class: `plain said-open ${kind}`.trim() });

/** Buttons to choose from: one press commits. */
function choices(options, commit) {
  return el(
    "div.strip-choices[role=group]",
    { "aria-label": "Your choice" },
    options.map(([key, text]) =>
      el(
        "button.strip-button.choice",
        { dataset: { key }, onclick: () => commit(key) },
        el("bdi", text),
      )
    ),
  );
}

/**
 * A number as people write it: 0.5, 0,5, 2/3, ½; NaN for anything else.
 * @param {string} text
 */
export function typedNumber(text) {
  const plain = text.normalize("NFKC").trim().replaceAll("\u2212", "-").replaceAll("\u2044", "/")
    .replace(",", ".");
  const [, above, below] = plain.match(/^([-+]?[\d.]+)\s*\/\s*([\d.]+)$/) ?? [];
  return above ? Number(above) / Number(below) : plain ? Number(plain) : NaN;
}

function number(commit) {
  const about = { inputmode: "decimal", "aria-label": "Your number" };
  const field = textBox("input.number-field", about);
  const wrong = el("p.strip-wrong[role=alert]");
  const send = () => {
    const value = typedNumber(field.value);
    if (Number.isFinite(value)) commit(value);
    else wrong.textContent = "Type a number, such as 0.5 or 1/2.";
  };
  return typing(
    "form.number-form",
    send,
    field,
    el("button.strip-button[type=submit]", "Commit"),
    wrong,
  );
}

const NOTHING = "Nothing is marked yet.";

/**
 * Words marked in the text of the page: the page's own selection, from the moment it is asked. Who
 * marks by keyboard is taken back to Commit, which stands far from the text in the order of Tab.
 */
function mark(commit, mine) {
  const nothing = mine ? "" : NOTHING; // what was guessed stands above
  const said = el("p.strip-marked[aria-live=polite]", nothing);
  const send = button("Commit", () => {
    const { selection } = state;
    if (selection) commit([selection.start, selection.end]);
  }, { disabled: true });
  const place = (at) => at ? `${at.start} ${at.end}` : "";
  let before = place(state.selection);
  const seen = () => {
    if (!root.isConnected) return bus.removeEventListener("selection", seen);
    const { selection } = state;
    send.toggleAttribute("disabled", !selection);
    put(said, selection ? ["You marked: ", el("bdi.words", textOf(selection))] : nothing);
    const moved = place(selection) !== before;
    before = place(selection);
    if (moved && selection && document.activeElement?.matches(".stage :focus-visible")) {
      send.focus({ preventScroll: true });
    }
  };
  const go = button(
    "Go to the text",
    () => {
      const here = document.getElementById(`picture-${state.chapter}`);
      const text = here?.querySelector(".word[tabindex='0']");
      // a term of the legend stands before the picture's own marks
      const place = text ?? here?.querySelector(".stage [tabindex='0']:not(.term)");
      /** @type {HTMLElement | null | undefined} */ (place)?.focus();
    },
    { class: "plain" },
  );
  const root = el("div.marking", said, send, go);
  bus.addEventListener("selection", seen);
  return root;
}

/** Ten chips for the start and ten for the end, placed in the page's own panel. */
function chips(commit) {
  const wrong = el("p.strip-wrong[role=alert]");
  const send = button("Commit the chips", () => {
    if (chipLoss()) commit(null);
    else wrong.textContent = "Place all ten chips for the start and all ten for the end first.";
  });
  const go = button("Go to the chips", () => {
    /** @type {HTMLElement | null} */ (document.querySelector("#guess .place[tabindex='0']"))
      ?.focus();
  }, { class: "plain" });
  return el("div", send, go, wrong);
}

/** What the chips cost, beside what the reader's own probabilities cost. */
export function chipSentence() {
  const found = chipLoss();
  if (!found) return "";
  const [yours, its] = ["q", "p"].map((of) =>
    found.rows.reduce((sum, row) => sum - Math.log(row[of]), 0) / found.rows.length
  );
  const better = yours < its ? "less than" : "more than";
  return `Your chips cost ${fixed(yours)} nats on ${found.name}, ${better} the reader's own ` +
    `probabilities, which cost ${fixed(its)}.`;
}

/**
 * The form of a step's question.
 * @param {{predict: string, options: string[][]}} step
 * @param {string[][]} found options that the check found in the reading
 * @param {(guess: any) => void} commit
 * @param {string | null} [mine] what was guessed, while it may be changed
 * @returns {HTMLElement | null}
 */
export function form(step, found, commit, mine) {
  const make = {
    choice: () => choices(step.options, commit),
    pick: () => choices(found, commit),
    number: () => number(commit),
    mark: () => mark(commit, mine),
    chips: () => chips(commit),
  }[step.predict];
  return make ? make() : null;
}
