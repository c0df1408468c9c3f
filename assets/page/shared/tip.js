// The read-out at the pointer: a box over the page that never moves anything and stays inside the
// window.

import { el } from "./dom.js";

const GAP = 14;
const EDGE = 4;

/**
 * Where a box goes so that it stands beside a point, inside the window and not over the point:
 * right and below where there is room.
 * @param {{x: number, y: number}} point
 * @param {{width: number, height: number}} box
 * @param {{width: number, height: number}} window
 * @returns {{left: number, top: number}}
 */
export function beside(point, box, window) {
  const inside = (
    /** @type {number} */ at,
    /** @type {number} */ size,
    /** @type {number} */ all,
  ) => Math.max(EDGE, Math.min(at, all - size - EDGE));
  const below = point.y + GAP + box.height + EDGE <= window.height;
  const right = point.x + GAP + box.width + EDGE <= window.width;
  return {
    left: inside(right ? point.x + GAP : point.x - GAP - box.width, box.width, window.width),
    top: inside(below ? point.y + GAP : point.y - GAP - box.height, box.height, window.height),
  };
}

/**
 * {node, show(point, ...content), hide()}: `node` stands anywhere in the chapter.
 * @param {{class?: string, id?: string}} [props]
 */
export function tip(props = {}) {
  const node = el("p[role=status][hidden]", {
    ...props,
    class: `tip tabular ${props.class ?? ""}`,
  });
  return {
    node,
    /** @param {{x: number, y: number}} point @param {(Node | string)[]} content */
    show(point, ...content) {
      node.replaceChildren(...content);
      node.hidden = false;
      const at = beside(point, node.getBoundingClientRect(), {
        width: document.documentElement.clientWidth,
        height: window.innerHeight,
      });
      Object.assign(node.style, { left: `${at.left}px`, top: `${at.top}px` });
    },
    hide() {
      node.hidden = true;
      node.replaceChildren();
    },
  };
}

/**
 * The middle of an element on the screen.
 * @param {Element} node
 */
export function middle(node) {
  const box = node.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
}
