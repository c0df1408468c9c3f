// What a step presses for the reader once its guess was made, so that what it speaks of stands in the
// picture: a question is asked, a method chosen, a measurement begun.

const AGAIN = 100;
const TRIES = 150;

/** Whether a control stands there and may be used; one in a closed fold may. */
const ready = (/** @type {HTMLElement | null} */ node) =>
  Boolean(node) && !node?.hasAttribute("disabled") &&
  Boolean(node?.getClientRects().length || node?.closest("details:not([open])"));

/** @param {HTMLElement} node @param {string | null} value */
function use(node, value) {
  const fold = node.closest("details");
  if (fold instanceof HTMLDetailsElement) fold.open = true;
  if (node instanceof HTMLSelectElement || node instanceof HTMLInputElement) {
    if (value === null || node.value === value) return;
    node.value = value;
    node.dispatchEvent(new Event("input", { bubbles: true }));
    node.dispatchEvent(new Event("change", { bubbles: true }));
  } else node.click();
}

/**
 * Use one control after the other, each as soon as it may be used.
 * @param {[string, string | null][]} list selectors, and the values that they are set to
 * @param {() => boolean} still whether the step is still the one in hand
 * @param {() => void} [done] called after the last, or when a control does not come
 */
export function act(list, still, done = () => {}, tries = TRIES) {
  const [first, ...rest] = list;
  if (!still()) return;
  if (!first) return done();
  const node = /** @type {HTMLElement | null} */ (document.querySelector(first[0]));
  if (node && ready(node)) {
    use(node, first[1]);
    act(rest, still, done);
  } else if (tries) setTimeout(() => act(list, still, done, tries - 1), AGAIN);
  else done();
}
