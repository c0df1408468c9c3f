// The settings of the search: the longest answer, the length of the list, BERT's grid.

import { el } from "../shared/dom.js";
import { wholeSetting } from "../shared/setting.js";

/**
 * {root, show(settings)}: `apply(name, value)` is called for each new value.
 * @param {(name: string, value: number | boolean) => void} apply
 * @param {(name: string) => boolean} waits whether a value of that name is on its way
 */
export function settings(apply, waits) {
  const numbers = [["max_answer_length", "spans-max-answer-length"], [
    "n_best_size",
    "spans-n-best-size",
  ]].map(([name, id]) => wholeSetting(id, (value) => apply(name, value), () => waits(name)));
  const grid = el("input#spans-top-n-grid[type=checkbox]", {
    "aria-describedby": "spans-top-n-grid-help",
    onchange: () => apply("top_n_grid", grid.checked),
  });
  const help = el("p.role-quiet#spans-top-n-grid-help");
  const root = el(
    "div.settings",
    numbers.map((n) => n.root),
    el("div.setting", el("label.setting-row", grid, "top_n_grid"), help),
  );
  return {
    root,
    /** @param {{numbers: any[], grid: {help: string, value: boolean}}} sent */
    show(sent) {
      numbers.forEach((n, k) => n.show(sent.numbers[k]));
      if (!waits("top_n_grid")) grid.checked = sent.grid.value;
      help.textContent = sent.grid.help;
    },
  };
}
