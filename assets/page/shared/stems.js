// Stems: how high a probability stands, and one lane of them. Fixed width; start lanes grow up, end
// lanes grow down.

import { fixed } from "./numbers.js";
import { hollow, sized, svg } from "./dom.js";

export const FLOOR = 1e-4;
export const LABEL = 0.02;

/**
 * Height of a probability on a logarithmic scale: 0 at `FLOOR` and below, 1 at 1.
 * @param {number} p
 */
export const decades = (p) => Math.max(0, 1 + Math.log10(Math.max(p, FLOOR)) / 4);

/**
 * What all lanes of one picture share: linear from 1/n, or logarithmic from 1e-4; `full` is the
 * height of p = 1.
 * @param {{log: boolean, n: number, size: number}} options `n`: positions of the window
 */
export function makeScale({ log, n, size }) {
  const full = 72 * size;
  const height = (/** @type {number} */ p) => {
    if (log) return Math.max(2, full * decades(p));
    return p < 1 / n ? 0 : Math.max(1, full * p);
  };
  return { log, n, size, full, height, uniform: log && 1 / n > FLOOR ? height(1 / n) : 0 };
}

/**
 * A probability above its stem.
 * @param {number} p
 */
export const printed = (p) => (p > 0.995 && p < 1 ? "> 0.99" : fixed(p));

/**
 * Room for the tallest stem of the cells, its number and its triangle.
 * @param {{p: number, apart: boolean}[]} cells
 * @param {ReturnType<typeof makeScale>} scale
 */
export function laneHeight(cells, scale) {
  const room = cells.map((c) =>
    scale.height(c.p) + (c.p >= LABEL ? 17 : 2) * scale.size + (c.apart ? 13 : 0) * scale.size
  );
  return Math.ceil(Math.max(12 * scale.size, scale.uniform + 3, ...room));
}

/**
 * Fill a lane: cells are {doc, x, left, width, p, apart, sum, byHand, name}; `says` names the rule
 * at 1/n where it is wanted.
 */
export function fillLane(lane, side, cells, scale, width, says = "") {
  const height = laneHeight(cells, scale);
  sized(lane, width, height);
  if (!lane.firstChild) lane.append(svg("g[aria-hidden=true]"), svg("g"));
  lane.firstChild.replaceChildren(...art(side, cells, scale, { width, height, says }));
  buttons(lane.lastChild, side, cells.filter((c) => c.doc !== null), height);
}

function art(side, cells, scale, { width, height, says }) {
  const y = side === "start" ? (h) => height - h : (h) => h;
  const thick = 5 * scale.size;
  const parts = [];
  if (scale.uniform) {
    parts.push(svg("line.uniform", [0, y(scale.uniform), width, y(scale.uniform)]));
    if (says) {
      parts.push(svg("text.quiet", [width, y(scale.uniform) - 3, "end"], says));
    }
  }
  for (const c of cells) {
    const h = scale.height(c.p);
    if (h > 0) {
      const kind = scale.log && c.p < FLOOR ? "floor" : side;
      parts.push(
        svg("rect", [c.x - thick / 2, side === "start" ? height - h : 0, thick, h], {
          class: `stem ${kind}${c.sum ? " sum" : ""}${c.byHand ? " by-hand" : ""}`,
        }),
      );
    }
    if (c.apart) {
      parts.push(hollow(c.x, y(h + (c.p >= LABEL ? 17 : 3) * scale.size), side, 5 * scale.size));
    }
  }
  return [...parts, ...numbers(cells, side, scale, y, width)];
}

// One button over each token, as high as the lane. They stay in place when only the stems change,
// and so does the focus.
function buttons(group, side, cells, height) {
  if (group.childElementCount !== cells.length) {
    group.replaceChildren(
      ...cells.map((c) =>
        svg(`rect.hit.${side}[role=button][tabindex=-1]`, {
          x: c.left,
          y: 0,
          width: Math.max(1, c.width),
          "aria-label": `${side} at ${c.name}`,
          "data-doc": c.doc,
        })
      ),
    );
  }
  if (group.dataset.height === String(height)) return;
  group.dataset.height = String(height);
  for (const hit of group.children) hit.setAttribute("height", height);
}

// The highest first; a number that would touch one already printed is left out (the table has it).
function numbers(cells, side, scale, y, width) {
  const half = 15 * scale.size;
  const taken = [];
  const out = [];
  for (const c of cells.filter((d) => d.p >= LABEL).sort((a, b) => b.p - a.p)) {
    const x = Math.min(Math.max(c.x, half), width - half);
    const h = scale.height(c.p);
    const clash = taken.some((t) =>
      Math.abs(t.x - x) < 2 * half && Math.abs(t.h - h) < 14 * scale.size
    ) ||
      cells.some((d) => d !== c && Math.abs(d.x - x) < half && scale.height(d.p) > h + 3);
    if (clash) continue;
    taken.push({ x, h });
    out.push(
      svg(
        `text.${side}`,
        [x, y(h + (side === "start" ? 4 : 14) * scale.size), "middle"],
        printed(c.p),
      ),
    );
  }
  return out;
}
