// Blocks become elements: kinds are known here, chapters are not.

import { el, keepingFocus, said } from "./dom.js";
import { button, choice, entry, slider, steps } from "./controls.js";
import { figure } from "./figure.js";
import { table } from "./table.js";
import { text } from "./text.js";

/**
 * A view of a block: its node, and how it follows the selection and a new overlay.
 * @typedef {{node: any, digest?: string, kind?: string, mark?: (marks: any) => void,
 *   overlay?: (o: any) => void, keeps?: (block: any) => boolean, inner?: Map<string, View>,
 *   redraw?: () => void, block?: any}} View
 */

const swatch = (shape, role) =>
  el("i", { class: `key-${shape}`, style: { color: `var(--${role})` } });

/** @type {Record<string, (block: any, old?: View) => View>} */
export const KINDS = {
  sentence: (b) => ({
    node: b.role === "heading"
      ? el("h2", { class: "heading" }, said(b.parts))
      : el("p", { class: b.role }, said(b.parts)),
  }),
  formula(b) {
    const label = b.label ? el("span", { class: "label" }, b.label) : null;
    const lines = b.lines.map((line) => el("span", { class: "formula-line" }, said(line)));
    return { node: el("p", { class: "formula" }, label, lines) };
  },
  legend(b) {
    const item = ([shape, role, parts]) => {
      const mark = shape === "text" ? null : swatch(shape, role);
      return el("span", { role: "listitem" }, mark, el("span", {}, said(parts)));
    };
    const about = { class: "legend", role: "list", "aria-label": "Legend" };
    return { node: el("p", about, b.items.map(item)) };
  },
  flow(b) {
    const box = ([title, small, role]) =>
      el("div", { class: `box ${role}` }, title, el("small", {}, small));
    const cell = (boxes) => el("div", { class: "cell" }, boxes.map(box));
    const lane = ([name, small, cells]) =>
      el("div", { class: "lane" }, el("p", {}, name, el("small", {}, small)), cells.map(cell));
    return { node: el("div", { class: "flow" }, b.lanes.map(lane)) };
  },
  code: (b) => ({
    node: el("pre", { tabindex: 0, "aria-label": "Python" }, el("code", {}, b.text)),
  }),
  group(b, old) {
    const node = old?.node ?? el("div", { class: "blocks" }), inner = old?.inner ?? new Map();
    place(node, b.blocks, inner);
    return { node, inner };
  },
  fold(b, old) {
    const body = old?.node.lastChild ?? el("div", { class: "blocks" });
    const node = old?.node ?? el("details", { class: "fold" }, el("summary", {}, b.title), body);
    const inner = old?.inner ?? new Map();
    place(body, b.blocks, inner);
    return { node, inner };
  },
  text,
  table,
  figure,
  slider,
  choice,
  button,
  entry,
  steps,
};

/** Put blocks into a grid; a block with the same key and digest keeps its node. */
export function place(grid, blocks, views) {
  const keys = new Set(blocks.map((b) => b.key));
  for (const [key, view] of views) {
    if (!keys.has(key)) view.node.remove(), views.delete(key);
  }
  let at = grid.firstChild;
  for (const b of blocks) {
    const before = views.get(b.key), old = before?.kind === b.kind ? before : undefined;
    let view = old;
    if (old && old.digest === b.digest && !b.blocks) { // equal but for what is selected
      if (b.overlay) old.overlay?.(b.overlay);
    } else if (old?.keeps?.(b)) old.digest = b.digest;
    else {
      view = KINDS[b.kind](b, old);
      view.kind = b.kind, view.digest = b.digest;
      view.node.dataset.block = b.key;
      view.node.style.gridColumn = `span ${b.span}`;
      views.set(b.key, view);
      if (before && before.node !== view.node) {
        if (at === before.node) at = before.node.nextSibling;
        before.node.remove();
      }
    }
    const node = /** @type {View} */ (view).node;
    if (node === at) at = at.nextSibling;
    else grid.insertBefore(node, at);
  }
}

/** Every view, those inside groups and folds too. */
export function* all(views) {
  for (const view of views.values()) {
    yield view;
    if (view.inner) yield* all(view.inner);
  }
}

/** Tell the views where the marks are now. */
export function follow(views, marks) {
  for (const view of all(views)) view.mark?.(marks);
}

export function draw(grid, picture, views) {
  keepingFocus(grid, () => place(grid, picture.blocks, views));
  follow(views, { selection: picture.selection });
}
