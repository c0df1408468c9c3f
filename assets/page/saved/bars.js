// In place of start_end/bars.js: the library that draws the bars is three times as large as the
// rest of a saved page.

import { el } from "../shared/dom.js";

/** {root, draw(), mark()}, as the running page's. */
export function bars() {
  const root = el(
    "p.role-quiet",
    "Bars with hover and zoom need the running page; their numbers stand in the table.",
  );
  return { root, draw() {}, mark() {} };
}
