// The one line that says what happened: progress with a way to cancel it, a refusal, a cancelled
// run.

import { el } from "./dom.js";
import { slow } from "./outbox.js";

export function mountSay() {
  return {
    update(root, data, { trigger }) {
      if (!root.firstChild) {
        root.append(
          el(
            "div",
            { class: "say-line" },
            el("p", { class: "say", role: "status", "aria-live": "polite" }),
            el("button", {
              type: "button",
              id: "ask-cancel",
              class: "plain",
              onclick: () => trigger("select", { index: "cancel", value: true }),
            }, "cancel"),
          ),
        );
      }
      const line = root.querySelector(".say");
      document.body.classList.toggle("busy", data.kind === "busy");
      if (data.kind === "busy") slow();
      // a first reading that takes its time, or cannot be made, says so: the page is usable by then
      if (data.text) document.body.classList.add("ready");
      line.className = `say ${data.kind ?? "quiet"}`;
      line.textContent = data.text ?? "";
    },
  };
}
