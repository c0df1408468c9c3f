// The quiz before and after the lessons: nine questions on one page, handed in at once. In a class
// the answers are counted without a name; alone this browser remembers how many were right.

import { form as typing, textBox } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { keepText, readJson, storage } from "../shared/storage.js";
import { keep, kept } from "./memory.js";
import { dialogButton, showDialog } from "./dialog.js";
import { chosen } from "./parts.js";

const PRIME = 0x100000001b3n;
const BASIS = 0xcbf29ce484222325n;

/**
 * The FNV-1a hash of a text, 64 bits in hexadecimal (Fowler, Noll and Vo).
 * @param {string} text
 */
export function fnv1a(text) {
  let hash = BASIS;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  }
  return hash.toString(16).padStart(16, "0");
}

/**
 * What a browser sends of a student's own code, so that two quizzes of one class can be paired.
 * Empty for no code.
 * @param {string} own
 * @param {string} room
 */
export function pairingMark(own, room) {
  const plain = own.normalize("NFKC").trim().toLowerCase();
  return plain && fnv1a(`${room} ${plain}`);
}

/** What is chosen and not handed in yet: it outlives a closed dialog and a reload of the tab. */
const NAME = "spanlight.quiz";
const hold = (held) => keepText("sessionStorage", NAME, JSON.stringify(held));

const TITLES = { before: "Quiz before the lessons", after: "Quiz after the lessons" };

/**
 * @param {{post: (name: string, value: any) => void, seat: () => any}} strip `seat` is this page's
 *   place in a class that is asked, or null
 */
export function makeQuiz({ post, seat }) {
  /** @type {{form: string, items: any[], minutes: number, moment: string | null, seen: string, wanted: boolean,
   *   list: HTMLElement | null}} */
  const view = {
    form: "",
    items: [],
    minutes: 0,
    moment: null,
    seen: "",
    wanted: false,
    list: null,
  };

  /** A form by its name, or alone the one behind the last. */
  function ask(form, moment) {
    Object.assign(view, { wanted: true, moment });
    const last = kept().quiz?.form;
    post("task_open", { what: "quiz", ...(form ? { form } : last ? { last } : {}) });
  }

  const place = () => `${view.moment ? seat()?.code : ""} ${view.form}`;

  const item = ({ text, ask: asked, options }, k, held) =>
    el(
      "li.quiz-item",
      el("p", { id: `quiz-ask-${k}` }, `${text} `, el("strong", asked)),
      el(
        "div[role=radiogroup]",
        { "aria-labelledby": `quiz-ask-${k}` },
        options.map((option, n) =>
          el(
            "label",
            el("input[type=radio]", { name: `quiz-${k}`, value: n, checked: held?.[k] === n }),
            el("span", option),
          )
        ),
      ),
    );

  /** The chosen option of each item, null for none. */
  const answers = () =>
    view.items.map((_, k) => {
      const chosen = view.list?.querySelector(`input[name="quiz-${k}"]:checked`);
      return chosen instanceof HTMLInputElement ? Number(chosen.value) : null;
    });

  function handIn(own) {
    const room = view.moment ? seat() : null;
    const mark = room ? pairingMark(own, room.code) : "";
    post("task_done", { form: view.form, moment: view.moment, answers: answers(), mark, room });
  }

  function foot() {
    const own = textBox("input.number-field.task-seed#quiz-own", { maxlength: 40 });
    return typing(
      "form.task-form.quiz-foot",
      () => handIn(own.value),
      view.moment
        ? [
          el("label[for=quiz-own]", "A code of your own (if you like)"),
          own,
          el(
            "p.said-source",
            "Only if you will use another device for the second quiz: with the same code both times the two are compared. No name is sent, and the code stays in this browser; a mark made of it leaves.",
          ),
        ]
        : null,
      el("button.said-button.filled[type=submit]", "Hand in"),
    );
  }

  function show() {
    const last = kept().quiz;
    const held = readJson(storage("sessionStorage")?.getItem(NAME));
    view.list = el(
      "ol.tasks",
      { onchange: () => hold({ at: place(), answers: answers() }) },
      view.items.map((one, k) => item(one, k, held?.at === place() && held.answers)),
    );
    const before = !view.moment && last
      ? ` Last time: ${last.points} of ${view.items.length} right, form ${last.form}.`
      : "";
    showDialog(
      view.moment ? TITLES[view.moment] : "Quiz",
      el(
        "p.said-intro",
        `${view.items.length} questions, ${view.minutes} minutes. One option of each holds; leave open what you do not know. Form ${view.form}.${before}`,
      ),
      view.list,
      foot(),
    );
  }

  /** What was right, item by item. */
  function told(items, points) {
    const last = view.moment ? null : kept().quiz;
    if (!view.moment) keep({ quiz: { form: view.form, points } });
    showDialog(
      `${points} of ${items.length} right`,
      el(
        "p.said-intro",
        last
          ? `Last time: ${last.points} right, with other numbers.`
          : "What each question was about, and what holds.",
      ),
      el(
        "ol.tasks",
        items.map(({ right, yours, said, solution }, k) =>
          el(
            "li",
            el("p", view.items[k].text, " ", el("strong", view.items[k].ask)),
            chosen(view.items[k].options.map((option, n) => [n, option]), right, yours),
            el("p", solution),
            el("p.said-source", "Said, and not so: ", el("q", said)),
          )
        ),
      ),
      view.moment ? null : dialogButton("Other numbers", () => ask(null, null)),
    );
  }

  return {
    /** Alone: the form after the last one. */
    open: () => ask(null, null),

    /** The class is asked: once for each moment, unless it was handed in. */
    asked({ moment, form, done }) {
      if ((moment ?? "") === view.seen) return;
      if (!moment) hold(null);
      view.seen = moment ?? "";
      if (moment && !done) ask(form, moment);
    },

    /** A quiz that was closed before it was handed in. */
    again: ({ moment, form }) => ask(form, moment),

    /** The questions have come. */
    drawn({ form, items, minutes }) {
      if (!view.wanted) return;
      Object.assign(view, { form, items, minutes, wanted: false });
      show();
    },

    /** The quiz was marked, or only counted. */
    marked({ points, items, counted }) {
      hold(null);
      if (items) return told(items, points);
      showDialog(
        counted ? "Thank you" : "Too late",
        el(
          "p",
          counted
            ? "Your answers are counted. What is right comes after the lessons."
            : "Your class is not asked any more, so these answers were not counted.",
        ),
      );
    },
  };
}
