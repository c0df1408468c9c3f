// A formula from parts {text, role}: the addends carry the colour of their role, so that the
// formula is the legend.

import { el } from "./dom.js";

/** @param {{text: string, role: string}[] | null} [parts] */
export function formula(parts) {
  const name = (role) => (role === "sub" || role === "sup" ? role : `span.role-${role}`);
  return el("p.formula", parts?.map(({ text, role }) => el(name(role), text)));
}
