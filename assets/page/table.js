// A real table; a row that sets something is pressed by mouse, finger or keyboard.

import { arrows, el, reachable } from "./dom.js";
import { set } from "./store.js";

const NUMBER = /^[-−+<>≈]*\s*[\d.,]+( %)?$|^–?$/;

export function table(b) {
  const words = b.columns.map((_, i) => b.rows.some((r) => !NUMBER.test(r.cells[i] ?? "")));
  const cell = (text, i, tag = "td") =>
    el(tag, {
      class: [words[i] ? "words" : "", b.columns[i][1] ? `is-${b.columns[i][1]}` : ""].join(" "),
      translate: words[i] && tag === "td" ? "no" : null,
      role: tag === "td" && !i ? "rowheader" : null,
      scope: tag === "th" ? "col" : null,
    }, text);
  const rows = [];
  const lines = b.rows.flatMap((r, k) => {
    const cells = r.cells.map((text, i) => cell(text, i));
    const line = el("tr", { class: r.strong ? "strong" : null }, cells);
    if (r.sets) {
      const name = `${b.key}-${k}`, next = words[1] ? `, ${r.cells[1]}` : "";
      const press = el("button", {
        class: "row",
        "aria-label": words[0] ? null : `${b.columns[0][0]} ${r.cells[0]}${next}`,
        "data-focus": name,
        "aria-pressed": "false",
      });
      press.append(...cells[0].childNodes);
      cells[0].append(press);
      line.classList.add("pressable");
      line.addEventListener("click", () => set(r.sets));
      rows.push([JSON.stringify(r.sets.selection), line, press]);
    }
    if (!r.more) return [line];
    const kin = r.more.rows.map((more) =>
      el("tr", { class: "kin", hidden: true }, more.map((text, i) => cell(text, i)))
    );
    const open = (event) => {
      event.stopPropagation();
      const now = kin[0].hidden;
      for (const one of kin) one.hidden = !now;
      event.currentTarget.setAttribute("aria-expanded", String(now));
    };
    const unfold = el("button", {
      class: "more",
      "aria-expanded": "false",
      onclick: open,
      "data-focus": `${b.key}-${k}-more`,
    }, r.more.label);
    cells[0].append(" ", unfold);
    return [line, ...kin];
  });
  const head = el("tr", {}, b.columns.map(([name], i) => cell(name, i, "th")));
  const caption = b.caption ? el("caption", { class: "unseen" }, b.caption) : null;
  const whole = el("table", {}, caption, el("thead", {}, head), el("tbody", {}, lines));
  const node = el("div", { class: "scroll" }, whole);
  const stops = [...node.querySelectorAll("button")];
  if (!stops.length) node.tabIndex = 0; // else no key reaches it to scroll, as in Safari
  arrows(node, stops, ["ArrowUp", "ArrowDown"]);
  reachable(stops, 0);
  const mark = ({ selection }) => {
    for (const [at, line, press] of rows) {
      const on = at !== undefined && at === JSON.stringify(selection);
      line.classList.toggle("on", on);
      press.setAttribute("aria-pressed", String(on));
      if (on) reachable(stops, stops.indexOf(press));
    }
  };
  return { node, mark };
}
