// This reading as one file: asked for in the link panel, made by Python, handed over here.

import { carried } from "./carry.js";
import { fileName } from "./csv.js";
import { el } from "./dom.js";
import { post } from "./outbox.js";
import { unzipped } from "./pack.js";
import { state } from "./store.js";
import { download } from "./take.js";

/** The button; the file brings back this address where it needs the running page. */
export const saveButton = () =>
  el("button.plain#save-file", {
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
const opened = async (base64) =>
  new Blob([await unzipped(base64).arrayBuffer()], { type: "text/html" });

let last = 0;

export async function updateSaved(_, data) {
  if (!data.file || data.n === last) return;
  last = data.n;
  download(`${fileName([data.name, "reading"])}.html`, await opened(data.file));
}
