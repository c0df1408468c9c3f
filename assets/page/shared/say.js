// The one line that says what happened: progress with a way to cancel it, a refusal, a cancelled
// run. A refusal stands beside the control that it is about, and goes when the next thing works.

import { isTouched, lastTouched } from "./cause.js";
import { el } from "./dom.js";
import { newest, slow } from "./outbox.js";
import { hear, say } from "./store.js";

const EDGE = 6;

/**
 * Put a note under a control, on the page and not on the screen, so that it scrolls with it.
 * @param {HTMLElement} note
 */
function place(note) {
  note.classList.add("aside");
  Object.assign(note.style, { left: "0", top: "0" });
  const box = lastTouched();
  if (!box) {
    note.classList.remove("aside");
    return;
  }
  const origin = note.getBoundingClientRect();
  const most = document.documentElement.clientWidth - origin.width - EDGE;
  Object.assign(note.style, {
    left: `${Math.max(EDGE, Math.min(box.left, most)) - origin.left}px`,
    top: `${box.bottom + EDGE - origin.top}px`,
  });
}

function line(root, trigger) {
  const said = el("p", { class: "say", role: "status", "aria-live": "polite" });
  const cancel = el("button", {
    type: "button",
    id: "ask-cancel",
    class: "plain",
    onclick: () => trigger("select", { index: "cancel", value: true }),
  }, "cancel");
  const note = el("div", { class: "say-line" }, said, cancel);
  root.append(note);
  let at = 0;
  const write = (kind, text) => {
    at = newest();
    said.className = `say ${kind}`;
    said.textContent = text;
    note.classList.remove("aside");
    if (kind === "error" && text) place(note);
  };
  const clear = () => said.classList.contains("error") && write("quiet", "");
  hear("refused", (text) => text ? write("error", text) : clear());
  hear("worked", (id) => id > at && clear());
  hear("reading", clear);
  hear("opened", clear);
  hear("look", clear);
  document.addEventListener("keydown", (event) => event.key === "Escape" && clear());
  document.addEventListener("input", ({ target }) => {
    if (isTouched(target)) clear(); // what was refused is being mended
  });
  return { said, write };
}

export function mountSay() {
  return {
    update(root, data, { trigger }) {
      root.line ??= line(root, trigger);
      document.body.classList.toggle("busy", data.kind === "busy");
      if (data.kind === "busy") slow();
      // a first reading that takes its time, or cannot be made, says so: the page is usable by then
      if (data.text) document.body.classList.add("ready");
      root.line.write(data.kind ?? "quiet", data.text ?? "");
      say("message", data);
    },
  };
}
