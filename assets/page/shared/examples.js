// The menu of examples: the browser's own, so that typing finds a title and the focus stays.

import { el } from "./dom.js";
import { hear, openExample, state } from "./store.js";

export function mountExamples() {
  return {
    update(root, data) {
      if (!data.examples || root.firstChild) return;
      const own = el("option", { value: "", disabled: true }, "your own text");
      const menu = el(
        "select",
        { id: "examples-menu", onchange: () => openExample(menu.value) },
        own,
        data.examples.map(([title, id]) => el("option", { value: id }, title)),
      );
      const show = () => {
        menu.value = state.reading?.example ?? "";
      };
      root.append(el("label", { class: "examples" }, "Examples ", menu));
      hear("reading", show);
      // what was refused is not on the screen: the menu names what is
      hear("message", ({ kind }) => kind === "error" && show());
      show();
    },
  };
}
