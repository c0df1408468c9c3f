// The folded Ask: the question as it was read, and a way to change it.

import { el } from "./dom.js";
import { hear, state } from "./store.js";

export function mountAsked() {
  return {
    update(root) {
      if (root.firstChild) return;
      const question = el("bdi", { class: "asked-question" });
      const about = el("span", { class: "role-quiet about" });
      const edit = el("button", {
        type: "button",
        class: "plain",
        "aria-controls": "ask",
        "aria-expanded": "false",
        onclick: () => open(!document.body.classList.contains("editing")),
      }, "edit");
      const open = (on) => {
        document.body.classList.toggle("editing", on);
        edit.setAttribute("aria-expanded", String(on));
        edit.textContent = on ? "fold" : "edit";
        if (on) boxes()[0]?.focus();
      };
      root.append(
        el("p", { class: "asked" }, el("span", { class: "asked-line" }, question, edit), about),
      );
      const boxes = () =>
        ["question", "paragraph"].map((name) => /** @type {HTMLInputElement | null} */
        (document.querySelector(`#ask-${name} textarea, #ask-${name} input`)));
      const differ = () => {
        const [q, p] = boxes();
        const changed = !state.reading || q?.value !== state.reading.question ||
          p?.value !== state.reading.context;
        document.getElementById("ask-answer")?.classList.toggle("filled", Boolean(changed));
      };
      document.addEventListener("input", (event) => {
        if (event.target instanceof Element && event.target.closest("#ask")) differ();
      });
      hear("reading", (reading) => {
        setTimeout(differ);
        question.textContent = reading.question;
        const n = reading.windows.length;
        about.textContent = `${reading.tokens.length} word piece${
          reading.tokens.length === 1 ? "" : "s"
        } in ${n === 1 ? "one window" : `${n} windows`}, reader ${reading.reader}`;
        if (reading.stamp !== root.stamp && root.stamp) open(false);
        root.stamp = reading.stamp;
      });
    },
  };
}
