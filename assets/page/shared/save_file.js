// This reading as one file: asked for in the link panel, made by Python, handed over here.

import { carried } from "./carry.js";
import { fileName } from "./csv.js";
import { el } from "./dom.js";
import { post } from "./outbox.js";
import { state } from "./store.js";
import { download } from "./take.js";

/** The button; the file brings back this address where it needs the running page. */
export const saveButton = () =>
  el("button", {
    type: "button",
    class: "plain",
    id: "save-file",
    onclick: () => {
      const { origin, pathname } = window.location;
      if (!state.send) return;
      post("save", state.send, "input", {
        index: "save",
        value: { home: `${origin}${pathname}`, page: carried() },
      });
    },
  }, "Save this reading as one file");

/** @param {string} base64 what Python compressed */
async function opened(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Blob([await new Response(stream).arrayBuffer()], { type: "text/html" });
}

export function mountSaved() {
  let last = 0;
  return {
    async update(_, data) {
      if (!data.file || data.n === last) return;
      last = data.n;
      download(`${fileName([data.name, "reading"])}.html`, await opened(data.file));
    },
  };
}
