// The tabs: real tabs with arrow keys, grouped as one explains it; panels are the gradio columns
// `panel-<key>`.

import { el, roving } from "./dom.js";
import { post } from "./outbox.js";
import { hear, say, state } from "./store.js";

/** On a phone the bar is wider than the screen: the open chapter's tab is the one to see. */
function bringIntoView(tab) {
  const list = tab.closest("[role=tablist]");
  const box = tab.getBoundingClientRect(), bar = list.getBoundingClientRect();
  if (box.left < bar.left) list.scrollLeft -= bar.left - box.left;
  else if (box.right > bar.right) list.scrollLeft += box.right - bar.right;
}

function open(root, key) {
  root.querySelectorAll("[role=tab]").forEach((tab) => {
    const on = tab.dataset.key === key;
    tab.setAttribute("aria-selected", String(on));
    tab.setAttribute("tabindex", on ? "0" : "-1");
    const panel = document.getElementById(`panel-${tab.dataset.key}`);
    if (!panel) return;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    panel.toggleAttribute("hidden", !on);
    if (on) bringIntoView(tab);
  });
  // for rules of one chapter: one that asked with :has which tab is selected is asked at each change
  document.body.dataset.chapter = key;
  state.chapter = key;
  say("opened", key);
}

export function updateChapters(root, data, trigger) {
  if (!data.chapters) return;
  /** @type {{name: string, items: any[]}[]} */
  const groups = [];
  for (const chapter of data.chapters) {
    const group = groups.at(-1);
    if (group && group.name === chapter.group) group.items.push(chapter);
    else groups.push({ name: chapter.group, items: [chapter] });
  }
  const tab = ({ key, number, title }) =>
    el(
      "button[role=tab]",
      {
        id: `tab-${key}`,
        "aria-controls": `panel-${key}`,
        dataset: { key },
        onclick: () => {
          open(root, key);
          post("chapter", trigger, "select", { index: key, value: title });
        },
      },
      el("span.number", number),
      title,
    );
  const list = el(
    "div.tabs[role=tablist][aria-label=Chapters]",
    groups.map(({ name, items }) =>
      el(
        "div.group[role=presentation]",
        el("span.group-name[aria-hidden=true]", name),
        items.map(tab),
      )
    ),
  );
  root.replaceChildren(list);
  roving(list, "[role=tab]");
  open(root, data.open);
  hear("reading", (reading) => {
    if (reading.open && reading.open !== state.chapter) open(root, reading.open);
  }); // a link names its chapter
  hear("go", (key) => {
    if (key !== state.chapter) open(root, key);
  }); // Python has opened it already
}
