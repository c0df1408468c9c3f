// The page: head, tabs, chapter; all it knows of a chapter is its name.

import { el } from "./dom.js";
import { all, draw, follow } from "./render.js";
import { begin, current, leave, link, set } from "./store.js";

const views = new Map();
const verdict = new Map();
let shown = null;

/** Build the page in an element; `chapters`: [key, name] each. */
export function mount(root, chapters) {
  const tab = ([key, name]) =>
    el("button", { role: "tab", id: `tab-${key}`, "aria-controls": "chapter", "data-chapter": key, "aria-selected": "false", tabindex: -1, onclick: () => set({ chapter: key }) }, name);
  const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Chapters" }, chapters.map(tab));
  const answer = el("div", { class: "verdict" });
  const say = el("p", { class: "say", role: "status" });
  const grid = el("div", { class: "blocks", id: "chapter", role: "tabpanel", tabindex: -1 });
  root.replaceChildren(el("div", { class: "top" }, answer), tabs, say, grid);

  tabs.addEventListener("keydown", (event) => {
    const all = [...tabs.children], k = all.indexOf(document.activeElement);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (k < 0 || !step) return;
    all[(k + step + all.length) % all.length].focus();
    event.preventDefault();
  });

  let stale = 0;
  begin({
    picture(picture) {
      const fresh = shown && (shown.chapter !== picture.chapter || shown.step !== picture.step);
      if (fresh) views.clear(), grid.replaceChildren();
      const before = shown;
      shown = { ...picture, state: structuredClone(current()) };
      const [head, ...blocks] = picture.blocks;
      draw(answer, { blocks: [head], selection: picture.selection }, verdict);
      draw(grid, { ...picture, blocks }, views);
      for (const t of tabs.children) {
        const on = t.dataset.chapter === picture.chapter;
        t.setAttribute("aria-selected", String(on));
        t.tabIndex = on ? 0 : -1;
        if (on) grid.setAttribute("aria-labelledby", t.id), t.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
      if (!before || before.question !== picture.question || before.context !== picture.context || before.example !== picture.example) fillBoxes();
    },
    marks: (patch) => follow(views, patch),
    say(what) {
      if (what.busy === true) stale ||= setTimeout(() => grid.classList.add("stale"), 200);
      if (what.busy === false) clearTimeout(stale), stale = 0, grid.classList.remove("stale");
      if ("error" in what) say.textContent = what.error ?? "", say.classList.toggle("error", !!what.error);
      if (what.lost) say.textContent = "The server does not answer; asking again …";
      if (what.waiting) {
        const { place, seconds, done } = what.waiting;
        const where = place ? `place ${place} in the line` : done ? `${Math.round(100 * done)} % read` : "the model works";
        const cancel = el("button", { onclick: () => shown && leave(shown.state) }, "Cancel");
        say.replaceChildren(`${where}, ${Math.round(seconds)} s `, cancel);
      }
      root.dataset.busy = String(what.busy ?? root.dataset.busy);
      if (what.error && !shown) set(FIRST);
    },
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const view of all(views)) view.themed?.();
  });
}

const FIRST = { example: "oresund" };

/** gradio's boxes are filled by an event of gradio: a hidden button's, whose script reads `boxes`. */
function fillBoxes() {
  document.querySelector("#fill-boxes")?.click();
}

/** What stands in question, paragraph, example and reader. */
export const boxes = () => shown ? [shown.question, shown.context, shown.example, shown.reader] : [];

/** Ask: texts that are an example's stay that example. */
export function askTexts(question, context) {
  if (shown?.question === question && shown?.context === context) return;
  set({ question, context });
}

export { link, set };
