// The way from one chapter to a control of another: by the ids that a reader of the page could
// press in turn.

const LONGEST = 600;

/**
 * Open a chapter and one of its steps, and put the focus on a control there as soon as it is drawn.
 * @param {string} chapter
 * @param {string} step
 * @param {string} control the id of the control
 */
export function visit(chapter, step, control) {
  document.getElementById(`tab-${chapter}`)?.click();
  let frames = 0;
  let pressed = false;
  const look = () => {
    const button = document.getElementById(`${chapter}-step-${step}`);
    if (button && !pressed) {
      button.click();
      pressed = true;
    }
    const found = pressed ? document.getElementById(control) : null;
    if (found?.checkVisibility()) {
      found.scrollIntoView({ block: "center" });
      found.focus({ preventScroll: true });
    } else if ((frames += 1) < LONGEST) requestAnimationFrame(look);
  };
  look();
}
