// Names of a few rows and columns and every tenth index, placed so that none overlaps.

import { svg } from "../shared/dom.js";
import { clipped } from "../shared/prose.js";

const LINE = 14;
const LONGEST = 12;

/**
 * Push labels apart: sorted places at least `gap` from each other, inside [low, high], as near to
 * their wish as they can be.
 */
export function spread(wishes, gap, low, high) {
  const places = [...wishes];
  for (let k = 0; k < places.length; k += 1) {
    places[k] = Math.max(places[k], k ? places[k - 1] + gap : low);
  }
  for (let k = places.length - 1; k >= 0; k -= 1) {
    places[k] = Math.min(places[k], k < places.length - 1 ? places[k + 1] - gap : high);
  }
  return places;
}

/** Every tenth index, or every 20th, 50th ... where tens would not fit. */
function tens({ lo, hi, cell, scale }, room) {
  const every = [10, 20, 50, 100, 200].find((step) => step * cell >= room * scale) ?? 500;
  return Array.from({ length: hi - lo }, (_, k) => lo + k).filter((k) => k % every === 0);
}

const distinct = (list, { lo, hi }) =>
  [...new Set(list)].filter((k) => k >= lo && k < hi).sort((a, b) => a - b);

/** Row names at the left: tokens of the named starts, every tenth index where there is room. */
export function down(cells, view, named) {
  const { lo, cell, left, top, side, scale } = view;
  const rows = distinct(named, view);
  const wish = rows.map((i) => top + (i - lo + 0.5) * cell);
  const place = spread(wish, LINE * scale, top + 6 * scale, top + side - 4 * scale);
  const nodes = rows.flatMap((i, k) => [
    svg("path", { d: `M${left - 2},${wish[k]}L${left - 12 * scale},${place[k]}`, class: "rule" }),
    svg("text", {
      x: left - 15 * scale,
      y: place[k] + 4 * scale,
      "text-anchor": "end",
      class: "start",
    }, clipped(cells.tokens[i], LONGEST)),
  ]);
  let last = -Infinity;
  for (const i of tens(view, LINE * 4)) {
    const y = top + (i - lo + 0.5) * cell;
    if (
      place.some((p, k) => Math.abs(p - y) < LINE * scale || Math.abs(wish[k] - y) < 4) ||
      y - last < LINE * scale
    ) continue;
    last = y;
    nodes.push(
      svg("text", { x: left - 5, y: y + 4 * scale, "text-anchor": "end", class: "quiet" }, i),
    );
  }
  return { nodes };
}

/**
 * Column names below: tokens of the named ends on as many lines as they need, indices on the first
 * where there is room.
 */
export function across(cells, view, named) {
  const { lo, cell, left, top, side, scale } = view;
  const floor = top + side;
  const taken = [];
  const nodes = [];
  const wide = (text) => [...text].length * 7.2 * scale + 6;
  for (const j of distinct(named, view)) {
    const text = clipped(cells.tokens[j], LONGEST);
    const x = left + (j - lo + 0.5) * cell;
    const centre = Math.min(
      Math.max(x, left + wide(text) / 2),
      left + side - wide(text) / 2 + view.right,
    );
    const [a, b] = [centre - wide(text) / 2, centre + wide(text) / 2];
    let level = 0;
    while ((taken[level] ??= []).some(([c, d]) => a < d && b > c)) level += 1;
    taken[level].push([a, b]);
    for (let k = 0; k < level; k += 1) taken[k].push([x - 3, x + 3]);
    const y = floor + (level + 1) * LINE * scale + 3 * scale;
    nodes.push(
      svg("path", { d: `M${x},${floor + 2}V${y - 10 * scale}`, class: "rule" }),
      svg("text", { x: centre, y, "text-anchor": "middle", class: "end" }, text),
    );
  }
  const first = (taken[0] ??= []);
  for (const j of tens(view, 70)) {
    const x = left + (j - lo + 0.5) * cell;
    const half = wide(String(j)) / 2;
    if (first.some(([c, d]) => x - half < d && x + half > c)) continue;
    first.push([x - half, x + half]);
    nodes.push(
      svg("text", {
        x,
        y: floor + LINE * scale + 3 * scale,
        "text-anchor": "middle",
        class: "quiet",
      }, j),
    );
  }
  return { nodes, depth: taken.length * LINE * scale + 8 * scale };
}
