// Gradio's client closes its stream of answers when the server owes none. The answer to an event
// that is sent in that very moment comes into a closed stream and lies there until the next event.
// So a page that has sent something and hears nothing sends an event that asks for nothing.

const FIRST = 2_000; // milliseconds, twice as many each time
const LAST = 64_000;

/** @type {((event: string, data: any) => void) | null} */
let knock = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

function later(silence) {
  if (silence > LAST) return;
  timer = setTimeout(() => {
    knock?.("input", { index: "knock", value: true });
    later(2 * silence);
  }, silence);
}

/** Something was sent, or is still being worked on. */
export function wait() {
  clearTimeout(timer);
  later(FIRST);
}

/**
 * Python has said something; `more`: and owes an answer still.
 * @param {boolean} more
 */
export function heard(more) {
  clearTimeout(timer);
  if (more) later(FIRST);
}

/**
 * The picture whose event asks for nothing.
 * @param {(event: string, data: any) => void} trigger
 */
export const knockBy = (trigger) => {
  knock = trigger;
};
