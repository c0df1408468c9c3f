// Homework on the page: the exercises of a seed, each checked on its own, most of them on the bench
// too. The solution comes from Python once the answer is right, or when it is asked for.

import { form, textBox } from "../shared/controls.js";
import { el, put } from "../shared/dom.js";
import { say } from "../shared/store.js";
import { close, dialogButton as small, showDialog } from "./dialog.js";
import { typedNumber } from "./guess_forms.js";

const FIRST = "1/1";

/** Say in a line of the dialog; the page's own line lies behind it. */
const told = (line, text, ...more) => put(line, el("p", el("strong", text)), more);

/**
 * @param {{post: (name: string, value: any) => void}} strip
 */
export function makeHomework({ post }) {
  /** @type {{seed: string, wanted: boolean, lines: Map<string, HTMLElement>}} */
  const view = { seed: FIRST, wanted: false, lines: new Map() };

  function ask(seed) {
    view.wanted = true;
    post("task_open", { what: "homework", seed });
  }

  /** Which numbers are drawn: the sheet on paper names the same. */
  function seedForm() {
    const about = { id: "homework-seed", value: view.seed, maxlength: 40 };
    const field = textBox("input.number-field.task-seed", about);
    const wrong = el("div.task-said[role=status]");
    return form(
      "form.task-form",
      () => {
        if (field.value.trim()) ask(field.value.trim());
        else told(wrong, "Type a seed, such as spring/3 for copy 3 of spring.");
      },
      el("label[for=homework-seed]", "Seed and copy"),
      field,
      el("button.said-button[type=submit]", "Draw the numbers"),
      wrong,
    );
  }

  function exercise({ kind, title, text, ask: asked, bench }) {
    const line = el("div.task-said[role=status]");
    const field = textBox("input.number-field[inputmode=decimal]", {
      "aria-label": `Your answer: ${title}`,
    });
    const send = (guess) => post("task_check", { seed: view.seed, kind, guess });
    view.lines.set(kind, line);
    return el(
      "li",
      { dataset: { kind } },
      el("p", el("strong", `${title}. `), text),
      el("p", asked),
      form(
        "form.task-form",
        () => {
          const value = typedNumber(field.value);
          if (Number.isFinite(value)) send(String(value));
          else told(line, "Type a number, such as 3 or 0.25.");
        },
        field,
        el("button.said-button[type=submit]", "Check"),
        small("Show the solution", () => send(null), {
          "aria-label": `Show the solution: ${title}`,
        }),
        bench
          ? small("On the bench", () => {
            close();
            say("bench-task", { seed: view.seed, kind });
          }, { "aria-label": `On the bench: ${title}` })
          : null,
      ),
      line,
    );
  }

  return {
    open: () => ask(view.seed),

    /** The exercises have come. */
    drawn({ seed, items }) {
      if (!view.wanted) return;
      Object.assign(view, { seed, wanted: false });
      view.lines.clear();
      showDialog(
        "Homework",
        el(
          "p.said-intro",
          `${items.length} exercises. The same seed draws the same numbers, here and on paper.`,
        ),
        seedForm(),
        el("ol.tasks", items.map(exercise)),
      );
    },

    /** An answer was checked; what is not right keeps its solution covered. */
    checked({ kind, right, answer, solution }) {
      const line = view.lines.get(kind);
      if (!line) return;
      const mark = right ? "Yes: " : right === false ? "Not yet. Try again." : "It is ";
      line.className = `task-said${right ? " right" : ""}`;
      told(line, answer === null ? mark : `${mark}${answer}.`, solution && el("p", solution));
    },
  };
}
