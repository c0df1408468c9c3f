// The keys of chapter 6: what a mark of its pictures stands for.

import { el } from "../shared/dom.js";

export const key = (kind, text) =>
  el("span.w-key", el(`span.swatch.${kind}[aria-hidden=true]`), text);
