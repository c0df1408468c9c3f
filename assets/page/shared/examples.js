// The menu of examples: the browser's own, so that typing finds a title and the focus stays. Below the
// question one line says of what kind the text is and what it is there for.

import { grouped } from "./controls.js";
import { el, put } from "./dom.js";
import { hear, openExample, say, state } from "./store.js";

/**
 * @typedef {{id: string, title: string, kind: string, reason: string, view: string | null}} Example
 */

/** Each chapter's two examples: [id, title]. @type {Record<string, string[][]>} */
let best = {};

/**
 * The examples that show a chapter's point best, but for the one on the screen.
 * @param {string} chapter
 */
export const bestOf = (chapter) =>
  (best[chapter] ?? []).filter(([id]) => id !== state.reading?.example)
    .map(([id, title]) => ({ id, title }));

/**
 * The examples by kind, in the order in which the kinds come; what readers get wrong stands under
 * names of its own.
 * @param {Example[]} examples
 * @returns {[string, Example[]][]}
 */
export function groups(examples) {
  /** @type {Map<string, Example[]>} */
  const found = new Map();
  for (const one of examples) {
    const name = one.view ? `fails: ${one.kind}` : one.kind;
    found.set(name, [...(found.get(name) ?? []), one]);
  }
  return [...found];
}

/** The line of one example; of a failure it also says what this reader does. */
function why(/** @type {Example} */ one) {
  const right = state.record?.right;
  const own = state.reading?.reader === "bundled";
  const does = !one.view || typeof right !== "boolean"
    ? ""
    : right
    ? " The reader in use gets it right."
    : " The reader in use gets it wrong.";
  const tab = one.view && document.getElementById(`tab-${one.view}`);
  return [
    el("span.example-kind", one.kind),
    `: ${one.reason}${does}${own ? "" : " (Said of the bundled reader.)"}`,
    tab && el(
      "button.plain",
      { onclick: () => tab.click() },
      `see ${tab.textContent?.replace(/^\d+/, "")}`,
    ),
  ];
}

export function updateExamples(root, data) {
  if (!data.examples || root.firstChild) return;
  best = data.best;
  /** @type {Map<string, Example>} */
  const known = new Map(data.examples.map((one) => [one.id, one]));
  const own = el("option", { value: "", disabled: true }, "your own text");
  const menu = el(
    "select#examples-menu",
    { onchange: () => openExample(menu.value) },
    own,
    grouped(
      groups(data.examples).map(([name, list]) => [
        name,
        list.map(({ id, title, reason }) => [id, title, reason]),
      ]),
    ),
  );
  const line = el("p.example-why.role-quiet#example-why");
  const show = () => {
    menu.value = state.reading?.example ?? "";
    const one = known.get(menu.value);
    if (line.dataset.said === `${menu.value} ${state.record?.right}`) return;
    line.dataset.said = `${menu.value} ${state.record?.right}`;
    put(line, one && why(one));
  };
  root.append(el("label.examples", "Examples ", menu));
  document.getElementById("asked")?.append(line);
  hear("reading", show);
  hear("selection", show);
  // what was refused is not on the screen: the menu names what is
  hear("message", ({ kind }) => kind === "error" && show());
  show();
  say("examples");
}
