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
  return parts.map(([text, role]) =>
    role === "sub" || role === "sup"
      ? el(role, {}, text)
      : role
      ? el("span", { class: `is-${role}`, translate: role === "quote" ? "no" : null }, text)
      : document.createTextNode(text)
  );
}

/** Run `change`, and give the focus back to the element in its place. */
export function keepingFocus(root, change) {
  const active = document.activeElement;
  const name = active?.getAttribute?.("data-focus");
  change();
  if (name && !active?.isConnected) {
    root.querySelector(`[data-focus="${CSS.escape(name)}"]`)?.focus({ preventScroll: true });
  }
}
