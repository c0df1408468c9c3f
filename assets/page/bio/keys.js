// Selecting on the tagged text by mouse and by keyboard.

import { isPress } from "../shared/dom.js";
import { dragging } from "../shared/drag.js";
import { centre } from "../shared/lines.js";

function item(node) {
  const found = node?.closest?.(".hit, .word");
  if (!found) return null;
  const word = found.classList.contains("word");
  return {
    node: found,
    row: word ? "word" : "hit",
    first: Number(word ? found.dataset.first : found.dataset.doc),
    last: Number(word ? found.dataset.last : found.dataset.doc),
  };
}

/** The bar (row "hit") or the word at a token. */
export function itemAt(root, row, doc) {
  if (row === "hit") return root.querySelector(`.hit[data-doc="${doc}"]`);
  return [...root.querySelectorAll(".word")].find((n) =>
    Number(n.dataset.first) <= doc && Number(n.dataset.last) >= doc
  ) ?? null;
}

/**
 * Choosing in chapter 7's text: a bar takes its token, a word its pieces; Shift extends, arrows
 * move, Enter commits; `mark` draws what is pending.
 */
export function listen(view, mark) {
  const { root } = view;
  const commit = (span) => {
    view.pending = null;
    view.model.page.select({ window: null, ...span });
  };
  const joined = ({ first, last }, extend) => {
    const chosen = view.model.page.selection;
    return extend && chosen
      ? { start: Math.min(chosen.start, first), end: Math.max(chosen.end, last) }
      : { start: first, end: last };
  };
  const stop = (node) => {
    root.querySelectorAll("[tabindex='0']").forEach((other) =>
      other.setAttribute("tabindex", "-1")
    );
    node.setAttribute("tabindex", "0");
  };
  let anchor = null;
  root.addEventListener("click", (event) => {
    const found = item(event.target);
    if (!found) return;
    stop(found.node);
    anchor = null;
    commit(joined(found, event.shiftKey));
  });
  dragging(root, {
    at: item,
    pend: (span) => {
      view.pending = span;
      mark();
    },
    commit,
  });
  root.addEventListener("keydown", (event) => {
    const found = item(event.target);
    if (!found) return;
    if (event.key === "Escape" && view.pending) {
      event.preventDefault();
      view.pending = null;
      anchor = null;
      mark();
      return;
    }
    if (isPress(event)) {
      event.preventDefault();
      commit(view.pending ?? joined(found, event.shiftKey));
      anchor = null;
      return;
    }
    const to = step(view, found, event.key);
    if (!to) return;
    event.preventDefault();
    if (event.shiftKey) {
      anchor ??= found;
      const reached = item(to) ?? found;
      view.pending = {
        start: Math.min(anchor.first, reached.first),
        end: Math.max(anchor.last, reached.last),
      };
      mark();
    } else if (view.pending) {
      view.pending = null;
      anchor = null;
      mark();
    }
    stop(to);
    to.focus();
  });
}

function step({ root, lines }, found, key) {
  const rtl = lines[0]?.dir === "rtl";
  const list = [...root.querySelectorAll(`.${found.row}`)];
  if (key === "Home" || key === "End") return list.at(key === "Home" ? 0 : -1);
  const sideways = { ArrowRight: rtl ? -1 : 1, ArrowLeft: rtl ? 1 : -1 }[key];
  if (sideways) return list[list.indexOf(found.node) + sideways] ?? null;
  if (key === "ArrowDown" && found.row === "hit") return itemAt(root, "word", found.first);
  if (key === "ArrowUp" && found.row === "word") return itemAt(root, "hit", found.first);
  if (key !== "ArrowDown" && key !== "ArrowUp") return null;
  const at = lines.findIndex((line) => line.first <= found.first && line.last >= found.first);
  const other = lines[at + (key === "ArrowDown" ? 1 : -1)];
  if (!other) return null;
  const x = centre(lines[at], found.first);
  const doc =
    [...other.places.keys()].sort((a, b) =>
      Math.abs(centre(other, a) - x) - Math.abs(centre(other, b) - x)
    )[0];
  return itemAt(root, key === "ArrowDown" ? "hit" : "word", doc);
}
