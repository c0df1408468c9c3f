// Selecting on a text with lanes: a start stem sets the start, an end stem the end, a word its
// pieces, another bar its token; Shift extends, arrows move, Enter commits. A finger has no Shift:
// where words are marked, a tap on one and then on another marks both and all between.

import { isPress } from "./dom.js";
import { dragging } from "./drag.js";
import { item, itemAt } from "./lines.js";
import { middle } from "./tip.js";

/** The span that choosing an item gives, next to what is selected in this window. */
export function spanFor({ row, first, last }, chosen, extend) {
  const start = chosen?.start ?? first;
  const end = chosen?.end ?? last;
  if (extend && chosen) return { start: Math.min(start, first), end: Math.max(end, last) };
  if (row === "start") return { start: first, end: Math.max(end, first) };
  if (row === "end") return { start: Math.min(start, last), end: last };
  return { start: first, end: last };
}

/**
 * Wire a text: `rows` are the rows of a line from above, "word" among them; `drags` the rows over
 * which one drags. `now()` gives {chosen, dir, marks}, `marks` where taps extend, `commit(span)`
 * selects, `pend(span or null)` shows what Enter would select, `tell(doc, point)` reads out there.
 */
export function selectable(
  root,
  { rows, drags = ["word"], now, commit, pend, tell = (..._) => {} },
) {
  let anchor = null;
  let pending = null;
  const clear = () => {
    anchor = null;
    pending = null;
    pend(null);
  };
  const stop = (node) => {
    root.querySelectorAll("[tabindex='0']").forEach((other) =>
      other.setAttribute("tabindex", "-1")
    );
    node.setAttribute("tabindex", "0");
  };
  let finger = false;
  let tapped = null; // while the next tap may extend it
  root.addEventListener("pointerdown", (event) => {
    finger = event.pointerType !== "mouse";
  });
  root.addEventListener("click", (event) => {
    const found = item(event.target);
    if (!found) return;
    stop(found.node);
    clear();
    const { chosen, marks } = now();
    const second = finger && marks && chosen && tapped?.start === chosen.start &&
      tapped.end === chosen.end && (found.first > chosen.end || found.last < chosen.start);
    const span = spanFor(found, chosen, event.shiftKey || second);
    tapped = finger && !second ? span : null;
    commit(span);
  });
  dragging(root, {
    at: (target) => {
      const found = item(target);
      return found && drags.includes(found.row) ? found : null;
    },
    pend,
    commit,
  });
  root.addEventListener("focusin", (event) => {
    const found = item(event.target);
    if (found) {
      stop(found.node);
      tell(found.first, middle(found.node));
    }
  });
  root.addEventListener("focusout", () => tell(null));
  root.addEventListener("pointermove", (event) => {
    const found = item(event.target);
    if (found) tell(found.first, { x: event.clientX, y: event.clientY });
  });
  root.addEventListener("pointerleave", () => tell(null));
  root.addEventListener("keydown", (event) => {
    const found = item(event.target);
    if (!found) return;
    if (event.key === "Escape") {
      if (pending) event.preventDefault();
      clear();
      return;
    }
    if (isPress(event)) {
      event.preventDefault();
      const span = pending ?? spanFor(found, now().chosen, event.shiftKey);
      clear();
      commit(span);
      return;
    }
    const to = target(root, rows, found, event.key, now().dir);
    if (!to) return;
    event.preventDefault();
    if (event.shiftKey) {
      anchor ??= found;
      const reached = item(to) ?? found;
      pending = {
        start: Math.min(anchor.first, reached.first),
        end: Math.max(anchor.last, reached.last),
      };
      pend(pending);
    } else if (pending) clear();
    to.focus();
  });
}

function target(root, rows, found, key, dir) {
  const forward = dir === "rtl" ? "ArrowLeft" : "ArrowRight";
  const sideways = { [forward]: 1, [dir === "rtl" ? "ArrowRight" : "ArrowLeft"]: -1 }[key];
  const list = [...root.querySelectorAll(`.${found.row}:is(.word, .hit)`)]
    .sort((a, b) => (item(a)?.first ?? 0) - (item(b)?.first ?? 0));
  if (key === "Home" || key === "End") return list.at(key === "Home" ? 0 : -1);
  if (sideways) return list[list.indexOf(found.node) + sideways] ?? null;
  const down = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (!down) return null;
  const row = rows[rows.indexOf(found.row) + down];
  if (row) return itemAt(root, row, found.first);
  return nextLine(root, found.node, down, rows.at(down > 0 ? 0 : -1));
}

// Past a line's last row comes the next line's first, at the same place.
function nextLine(root, node, down, row) {
  const lines = [...root.querySelectorAll(".line:not(.outside)")];
  const line = lines[lines.indexOf(node.closest(".line")) + down];
  if (!line) return null;
  const middle = (n) => {
    const box = n.getBoundingClientRect();
    return box.left + box.width / 2;
  };
  const x = middle(node);
  return [...line.querySelectorAll(`.${row}:is(.word, .hit)`)].sort((a, b) =>
    Math.abs(middle(a) - x) - Math.abs(middle(b) - x)
  )[0] ?? null;
}
