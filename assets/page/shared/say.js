// The one line that says what happened: progress with a way to cancel it, a refusal, a cancelled
// run. A refusal stands beside the control that it is about, and goes when the next thing that
// somebody does works; what was under way before it waits for its place until then. A picture that
// comes above moves the control, and the refusal with it.

import { el } from "./dom.js";
import { sentAt, slow } from "./outbox.js";
import { hear, say } from "./store.js";
import { acts, isTouched, lastPlace, lastTouched } from "./touch.js";

const EDGE = 6;
const NOTHING = { kind: "quiet", text: "" };

/**
 * Put a note beside a control where nothing else stands, otherwise under it; on the page and not on
 * the screen, so that it scrolls with it.
 * @param {HTMLElement} note
 * @param {Element | null} control null for one that was drawn anew: its place is taken as it was
 */
function place(note, control) {
  note.classList.add("aside"); // out of the flow, where it would move what is measured
  Object.assign(note.style, { left: "0", top: "0" });
  const box = control?.getBoundingClientRect() ?? lastPlace();
  if (!box) {
    note.classList.remove("aside");
    return;
  }
  const origin = note.getBoundingClientRect();
  const most = document.documentElement.clientWidth - origin.width - EDGE;
  const middle = (box.top + box.bottom) / 2;
  // below Ask stands the answer: a refusal that lay on it would be read as a part of it
  const free = (x) => document.elementFromPoint(x, middle)?.contains(control);
  const beside = control && box.right + EDGE <= most &&
    [EDGE, origin.width / 2, origin.width].every((x) => free(box.right + x));
  const [left, top] = beside
    ? [box.right + EDGE, middle - origin.height / 2]
    : [Math.max(EDGE, Math.min(box.left, most)), box.bottom + EDGE];
  Object.assign(note.style, { left: `${left - origin.left}px`, top: `${top - origin.top}px` });
}

function line(root, trigger) {
  const said = el("p.say[role=status][aria-live=polite]");
  const cancel = el("button.plain#ask-cancel", {
    onclick: () => trigger("select", { index: "cancel", value: true }),
  }, "cancel");
  const note = el("div.say-line", said, cancel);
  root.append(note);
  let shown = NOTHING;
  /** @type {{kind: string, text: string} | null} */
  let held = null; // progress that a refusal stands before
  /** @type {Element | null} */
  let about = null; // what the refusal is about
  let at = 0;
  const show = (word) => {
    shown = word;
    document.body.classList.toggle("busy", word.kind === "busy");
    said.className = `say ${word.kind}`;
    said.textContent = word.text;
    note.classList.remove("aside");
    note.removeAttribute("style"); // where a refusal stood
  };
  const refuse = (text, before) => {
    held = before;
    at = acts();
    show({ kind: "error", text });
    about = lastTouched();
    place(note, about);
  };
  const stands = () => shown.kind === "error" && shown.text;
  new ResizeObserver(() => {
    if (stands() && about?.checkVisibility()) place(note, about);
  }).observe(document.body);
  const clear = () => {
    if (!stands()) return;
    show(held ?? NOTHING);
    held = null;
  };
  /** Whether a message was sent before the refusal, or by the page itself since. */
  const earlier = (id) => sentAt(id) <= at;
  const write = ({ kind = "quiet", text = "", of = null }) => {
    if (kind === "error" && text) refuse(text, null);
    else if (stands() && earlier(of)) held = kind === "busy" ? { kind, text } : null;
    else {
      held = null;
      show({ kind, text });
    }
  };
  hear("refused", (text) => {
    if (!text) return clear();
    refuse(text, shown.kind === "busy" ? shown : held);
    note.scrollIntoView({ block: "nearest" }); // whoever has just acted looks here
  });
  hear("worked", (id) => !earlier(id) && clear());
  hear("reading", clear);
  hear("opened", clear);
  hear("look", clear);
  document.addEventListener("keydown", (event) => event.key === "Escape" && clear());
  document.addEventListener("input", ({ target }) => {
    if (isTouched(target)) clear(); // what was refused is being mended
  });
  return { write };
}

export function updateSay(root, data, trigger) {
  root.line ??= line(root, trigger);
  if (data.kind === "busy") slow();
  // a first reading that takes its time, or cannot be made, says so: the page is usable by then
  if (data.text) document.body.classList.add("ready");
  root.line.write(data);
  say("message", data);
}
