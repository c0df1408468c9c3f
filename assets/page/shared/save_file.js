// This reading as one file: asked for in the link panel, made by Python, handed over here.

import { carried } from "./carry.js";
import { fileName } from "./csv.js";
import { el } from "./dom.js";
import { unzipped } from "./pack.js";
import { ask } from "./store.js";
import { download } from "./take.js";

/** The button; the file brings back this address where it needs the running page. */
export const saveButton = () =>
  el("button.plain#save-file", {
    onclick: () => {
      const { origin, pathname } = window.location;
      ask("save", { home: `${origin}${pathname}`, page: carried() });
    },
  }, "Save this reading as one file");

let last = 0;

export async function updateSaved(_, data) {
  if (!data.file || data.n === last) return;
  last = data.n;
  const page = await unzipped(data.file).arrayBuffer();
  download(`${fileName([data.name, "reading"])}.html`, [page], "text/html");
}
