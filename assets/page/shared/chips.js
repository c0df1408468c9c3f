// Dragging chips: from the row of those that are left, or from one word to another.

import { el } from "./dom.js";

/** @type {(node: any, kind: string) => HTMLElement | null} */
const part = (node, kind) => node?.closest?.(kind) ?? null;

/**
 * Wire a guess: `held(side, from)` says how many chips a drag takes from a word (null: those that
 * are left), `drop(side, from, to, count)` puts them on another word.
 * @param {HTMLElement} root
 * @param {{held: (side: string, from: number | null) => number,
 *   drop: (side: string, from: number | null, to: number, count: number) => void}} wiring
 */
export function dragChips(root, { held, drop }) {
  const ghost = el("span.chip-ghost.chips[aria-hidden=true][hidden]");
  root.append(ghost);
  /** @type {{side: string, from: number | null, count: number, at: Element | null} | null} */
  let drag = null;
  const over = (event) => part(document.elementFromPoint(event.clientX, event.clientY), ".place");
  const aim = (place) => {
    drag?.at?.classList.remove("aimed");
    if (drag) drag.at = place ?? null;
    place?.classList.add("aimed");
  };
  const stop = () => {
    aim(null);
    ghost.hidden = true;
    drag = null;
  };
  root.addEventListener("pointerdown", (event) => {
    const chips = event.button === 0 ? part(event.target, ".chips") : null;
    if (!chips) return;
    const place = part(chips, ".place");
    const from = place ? Number(place.dataset.k) : null;
    const side = chips.dataset.side ?? "";
    const count = held(side, from);
    if (!count) return;
    event.preventDefault();
    root.setPointerCapture(event.pointerId);
    drag = { side, from, count, at: null };
  });
  root.addEventListener("pointermove", (event) => {
    if (!drag) return;
    ghost.className = `chip-ghost chips ${drag.side}`;
    ghost.textContent = "●".repeat(drag.count);
    ghost.hidden = false;
    Object.assign(ghost.style, { left: `${event.clientX + 8}px`, top: `${event.clientY + 8}px` });
    aim(over(event));
  });
  root.addEventListener("pointerup", (event) => {
    if (!drag) return;
    const { side, from, count } = drag;
    const to = over(event);
    stop();
    if (to && Number(to.dataset.k) !== from) {
      drop(side, from, Number(to.dataset.k), count);
    }
  });
  root.addEventListener("pointercancel", stop);
}
