// Which text chapter 8 shows: a passage, the paragraph of the reading, or one that is typed.

import { el } from "../shared/dom.js";
import { hear } from "../shared/store.js";

const OWN = "own";
const READING = "reading";
const KIND = "mask-source";

/** {root, draw(picture, page)}: a menu, and a box when the text is one's own. */
export function sourceMenu() {
  /** @type {any} */
  const view = { picture: null };
  view.menu = el("select", { id: "spanbert-source", onchange: () => choose(view) });
  view.reason = el("span.role-quiet.reason");
  const about = { rows: 4, "aria-label": "Your own text" };
  view.typed = el("textarea#spanbert-text[spellcheck=false]", about);
  view.limit = el("span.role-quiet");
  view.own = el(
    "div.own-text[hidden]",
    view.typed,
    el("button.act#spanbert-use-text", {
      onclick: () => view.page.input("mask-text", view.typed.value, KIND),
    }, "use this text"),
    view.limit,
  );
  // a text that was refused is not on show: the menu names the one that is
  hear("message", ({ kind }) => {
    if (kind === "error" && view.picture && view.menu.value !== OWN) named(view);
  });
  const root = el(
    "div.mask-source-box",
    el("div.mask-source", el("label", { for: "spanbert-source" }, "text "), view.menu, view.reason),
    view.own,
  );
  return {
    root,
    draw(picture, page) {
      const anew = view.picture?.text !== picture.text || view.picture?.passage !== picture.passage;
      Object.assign(view, { picture, page });
      if (anew) fill(view);
    },
  };
}

function fill(view) {
  const { picture } = view;
  const options = [
    ...picture.sources.map((s) => [s.id, s.title]),
    [READING, "the paragraph of the reading"],
    [OWN, "a text of your own"],
  ];
  view.menu.replaceChildren(...options.map(([value, title]) => el("option", { value }, title)));
  named(view);
  view.limit.textContent = ` 1 to ${picture.most} word pieces`;
  view.typed.value = picture.text;
  view.reason.textContent = picture.reason;
}

function named({ picture, menu, own }) {
  menu.value = picture.passage ?? OWN;
  own.toggleAttribute("hidden", picture.passage !== null);
}

function choose(view) {
  const { value } = view.menu;
  view.own.toggleAttribute("hidden", value !== OWN);
  if (value === OWN) view.typed.focus();
  else if (value === READING) view.page.input("mask-reading", true, KIND);
  else view.page.input("mask-passage", value, KIND);
}
