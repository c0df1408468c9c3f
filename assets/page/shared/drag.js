// Dragging over words selects them, where the browser would paint its own blue selection. A press
// without a move stays a click; a finger scrolls.

/**
 * The span from one word to another, in either order.
 * @param {{first: number, last: number}} a
 * @param {{first: number, last: number}} b
 */
export const between = (a, b) => ({
  start: Math.min(a.first, b.first),
  end: Math.max(a.last, b.last),
});

/**
 * Wire the words of a text: `at(element)` gives the word {first, last} that an element belongs to,
 * or null; `pend(span or null)` shows what would be selected, `commit(span)` selects it.
 * @param {Element} root
 * @param {{at: (target: any) => {first: number, last: number} | null,
 *   pend: (span: {start: number, end: number} | null) => void,
 *   commit: (span: {start: number, end: number}) => void}} wiring
 */
export function dragging(root, { at, pend, commit }) {
  /** @type {{first: number, last: number} | null} */
  let from = null;
  /** @type {{start: number, end: number} | null} */
  let span = null;
  const stop = () => {
    from = span = null;
  };
  const drop = () => {
    const held = span;
    stop();
    if (!held) return;
    pend(null);
    commit(held);
  };
  root.addEventListener("mousedown", (/** @type {any} */ event) => {
    const word = event.button === 0 ? at(event.target) : null;
    if (!word) return;
    event.preventDefault(); // no selection of the browser's own, and so no focus of its own either
    event.target.closest?.("[tabindex]")?.focus?.({ preventScroll: true });
    if (event.shiftKey) return;
    from = word;
    document.addEventListener("mouseup", drop, { once: true });
  });
  root.addEventListener("mouseover", (/** @type {any} */ event) => {
    const word = from && at(event.target);
    if (!from || !word) return;
    if (!(event.buttons & 1)) {
      stop();
      pend(null);
      return;
    }
    span = word.first === from.first && !span ? null : between(from, word);
    if (span) pend(span);
  });
}
