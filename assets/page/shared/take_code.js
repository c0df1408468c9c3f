// "show me the code": plain torch that prints the numbers on screen. It is asked for when the fold
// is opened, and again when other numbers came while it is open.

import { el, fold } from "./dom.js";
import { hear, state } from "./store.js";
import { copyButton, download, takeButton } from "./take.js";
import { nameOf } from "./take_table.js";

/**
 * The fold of one chapter.
 * @param {string} chapter
 * @param {{input: (name: string, value: any) => void}} page
 */
export function codeFold(chapter, page) {
  const code = el("code[dir=ltr]");
  const copy = copyButton("Copy the code", () => code.textContent);
  const python = () => download(`${nameOf(chapter, "code")}.py`, [code.textContent], "text/plain");
  const save = takeButton("save as .py", null, python);
  const tools = el("p.table-tools[hidden]", copy, save);
  const said = el("p.code-said[role=status]");
  const box = el("pre.code[tabindex=0][role=region][hidden]", { "aria-label": "The code" }, code);
  const root = fold("show me the code", [
    el(
      "p.code-said",
      "torch, transformers and numpy print these numbers for this text and this reader. " +
        "Run it where app.py stands; a reader from a folder is a placeholder to fill in.",
    ),
    said,
    tools,
    box,
  ]);
  let asked = false;
  const ask = () => {
    if (!root.open || state.chapter !== chapter || !state.reading) return;
    asked = true;
    page.input("code", true);
  };
  root.addEventListener("toggle", ask);
  ["selection", "opened"].forEach((name) => hear(name, ask));
  hear("given", ({ what, text, error }) => {
    if (what !== "code" || !asked || state.chapter !== chapter) return;
    asked = false;
    code.textContent = text ?? "";
    said.textContent = error ?? "";
    [tools, box].forEach((node) => node.toggleAttribute("hidden", !text));
    if (copy) copy.textContent = "copy";
  });
  return root;
}
