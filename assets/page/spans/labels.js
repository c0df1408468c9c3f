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
    svg("path.rule", `M${left - 2},${wish[k]}L${left - 12 * scale},${place[k]}`),
    svg(
      "text.start",
      [left - 15 * scale, place[k] + 4 * scale, "end"],
      clipped(cells.name(i, "start"), LONGEST),
    ),
  ]);
  let last = -Infinity;
  for (const i of tens(view, LINE * 4)) {
    const y = top + (i - lo + 0.5) * cell;
    if (
      place.some((p, k) => Math.abs(p - y) < LINE * scale || Math.abs(wish[k] - y) < 4) ||
      y - last < LINE * scale
    ) continue;
    last = y;
    nodes.push(svg("text.quiet", [left - 5, y + 4 * scale, "end"], i));
  }
  return { nodes };
}

/**
 * Levels below the axis for names that hang on lines at `places` (ascending): the first ones stand at
 * the left of their lines, the others at the right, and the line of an inner one goes past the outer
 * names without a touch. Where to part them is what needs the fewest levels.
 * @param {number[]} places
 * @param {number[]} widths
 * @param {number} end no name goes further right, if it can be helped
 * @returns {{side: number, level: number}[]} side -1 for left, 1 for right
 */
export function hang(places, widths, end) {
  const ways = Array.from({ length: places.length + 1 }, (_, parted) => {
    const side = places.map((_, k) => (k < parted ? -1 : 1));
    const fits = places.every((x, k) => side[k] === -1 || x + widths[k] <= end);
    const inwards = places.map((_, k) => k);
    const order = [...inwards.slice(0, parted), ...inwards.slice(parted).reverse()];
    /** @type {number[]} */
    const level = [];
    order.forEach((k, at) => {
      const met = order.slice(0, at).filter((m) =>
        side[m] === side[k] && Math.abs(places[m] - places[k]) < widths[k]
      );
      level[k] = Math.max(-1, ...met.map((m) => level[m])) + 1;
    });
    return { depth: fits ? Math.max(0, ...level) : Infinity, side, level };
  });
  const { side, level } = ways.reduce((best, way) => (way.depth < best.depth ? way : best));
  return places.map((_, k) => ({ side: side[k], level: level[k] }));
}

/** Column names below: the named ends on as many lines as they need, indices where there is room. */
export function across(cells, view, named) {
  const { lo, cell, left, top, side, scale } = view;
  const floor = top + side;
  const taken = [];
  const nodes = [];
  const wide = (text) => ([...text].length * 7.6 + 8) * scale;
  const ends = distinct(named, view);
  const texts = ends.map((j) => clipped(cells.name(j, "end"), LONGEST));
  const places = ends.map((j) => left + (j - lo + 0.5) * cell);
  const hung = hang(places, texts.map(wide), left + side + view.right);
  ends.forEach((_, k) => {
    const [x, { side: way, level }] = [places[k], hung[k]];
    const far = x + way * wide(texts[k]);
    for (let m = 0; m < level; m += 1) (taken[m] ??= []).push([x - 3, x + 3]);
    (taken[level] ??= []).push([Math.min(x, far) - 2, Math.max(x, far) + 2]);
    const y = floor + (level + 1) * LINE * scale + 3 * scale;
    nodes.push(
      svg("path.rule", `M${x},${floor + 2}V${y}`),
      svg("text.end", [x + way * 4 * scale, y, way === 1 ? "start" : "end"], texts[k]),
    );
  });
  const first = (taken[0] ??= []);
  for (const j of tens(view, 70)) {
    const x = left + (j - lo + 0.5) * cell;
    const half = wide(String(j)) / 2;
    if (first.some(([c, d]) => x - half < d + 8 * scale && x + half > c - 8 * scale)) continue;
    first.push([x - half, x + half]);
    nodes.push(svg("text.quiet", [x, floor + LINE * scale + 3 * scale, "middle"], j));
  }
  return { nodes, depth: taken.length * LINE * scale + 8 * scale };
}
