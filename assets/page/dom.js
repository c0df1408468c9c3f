// Build elements from data: text only ever becomes text nodes.

/**
 * An element: el("button", { class: "plain", onclick: go }, "text", child).
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...any} children
 * @returns {any}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined) continue;
    if (value === false && !name.startsWith("aria-")) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(node.style, value);
    else node.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** Parts of a sentence, [text, role] each, as spans in the colour of their role. */
export function said(parts) {
  return parts.map(([words, role]) => {
    const text = words.replaceAll(" %", "\u00a0%"); // no line begins with the sign
    if (role === "sub" || role === "sup") return el(role, {}, text);
    if (!role) return document.createTextNode(text);
    return el("span", { class: `is-${role}`, translate: role === "quote" ? "no" : null }, text);
  });
}

/** Run `change`, and give the focus back to the element in its place; where there is none, to `root`. */
export function keepingFocus(root, change) {
  const active = document.activeElement, inside = root.contains(active);
  const name = active?.getAttribute?.("data-focus");
  change();
  if (active?.isConnected) return;
  const how = { preventScroll: true };
  if (name) root.querySelector(`[data-focus="${CSS.escape(name)}"]`)?.focus(how);
  if (inside && !root.contains(document.activeElement)) root.focus(how);
}

/** A place whose text a screen reader says, once it has stood a moment; one made anew may be missed. */
export function announcer() {
  const node = el("p", { class: "unseen", "aria-live": "polite" });
  let later = 0;
  const say = (text) => {
    clearTimeout(later);
    later = setTimeout(() => node.textContent === text || (node.textContent = text), 300);
  };
  return { node, say };
}

/** Arrows lead from each of `stops` to the next; such a row or column is one stop of Tab. */
export function arrows(root, stops, [back, on] = ["ArrowLeft", "ArrowRight"]) {
  root.addEventListener("keydown", (event) => {
    const k = stops.indexOf(event.target), step = { [back]: -1, [on]: 1 }[event.key];
    if (k < 0 || !step) return;
    const to = stops[Math.min(stops.length - 1, Math.max(0, k + step))];
    to.focus();
    stops[k].tabIndex = -1, to.tabIndex = 0;
    event.preventDefault();
  });
}

/** One of many is in the order of Tab, the k-th; arrows lead to the others. */
export function reachable(nodes, k) {
  if (nodes.includes(document.activeElement)) return;
  for (const [n, node] of nodes.entries()) node.tabIndex = n === Math.max(0, k) ? 0 : -1;
}

/** A row of buttons as one stop of Tab, at the one that is pressed. */
export function row(node) {
  const stops = [...node.querySelectorAll("button")];
  arrows(node, stops);
  reachable(stops, stops.findIndex((one) => one.ariaPressed === "true"));
  return node;
}
