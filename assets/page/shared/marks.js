// What holds for the marks of every picture: what a mark says stands at the pointer, or at the mark
// that has the focus; Escape leaves the picture.

import { isBox } from "./shortcuts.js";
import { middle, tip } from "./tip.js";

const MARK = "[data-tip], svg [role=button][aria-label], svg [role=slider][aria-label]";

/** What a mark says: its own sentence, or its name and where it stands. */
function saying(mark) {
  if (mark.dataset.tip) return mark.dataset.tip;
  const value = mark.getAttribute("aria-valuetext");
  return `${mark.getAttribute("aria-label")}${value ? `: ${value}` : ""}`;
}

/**
 * Wire the marks of a stage; returns the read-out's node and `settle()`, to be called after a
 * redraw. A picture with a read-out of its own says so by `data-tips="own"`.
 * @param {HTMLElement} stage
 */
export function marks(stage) {
  const out = tip({ class: "mark-tip" });
  /** @type {{mark: Element, point: {x: number, y: number} | null} | null} */
  let now = null;
  const hide = () => {
    now = null;
    out.hide();
  };
  const show = (mark, point) => {
    now = { mark, point };
    out.show(point ?? middle(mark), saying(mark));
  };
  const find = (target) => {
    const mark = target.closest?.(MARK);
    return mark && !mark.closest("[data-tips=own]") ? mark : null;
  };
  stage.addEventListener("pointermove", ({ target, clientX, clientY, pointerType }) => {
    if (pointerType === "touch") return;
    const mark = find(target);
    if (mark) show(mark, { x: clientX, y: clientY });
    else if (now?.point) hide();
  });
  stage.addEventListener("pointerleave", () => now?.point && hide());
  stage.addEventListener("focusin", ({ target }) => {
    const mark = find(target);
    if (mark?.matches(":focus-visible")) show(mark, null);
  });
  stage.addEventListener("focusout", () => now && !now.point && hide());
  stage.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  return {
    node: out.node,
    settle() {
      if (!now) return;
      if (now.mark.isConnected) show(now.mark, now.point);
      else if (now.point || document.activeElement === document.body) hide();
    },
  };
}

/**
 * Escape leaves a picture for its chapter's tab, unless something in it was still to be taken back.
 * @param {HTMLElement} stage
 * @param {string} chapter
 */
export function leaving(stage, chapter) {
  stage.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || isBox(event.target)) return;
    event.preventDefault();
    document.getElementById(`tab-${chapter}`)?.focus();
  });
}
