// A plane with the two logits as axes: scales, diagonals of equal sum, labels that do not collide,
// dots for mouse and keyboard.

import { along, upwards } from "../shared/axes.js";
import { pressed, roving, svg } from "../shared/dom.js";
import { scaleLinear, ticks } from "../shared/scales.js";
import { meet, placeFor } from "./places.js";

/**
 * The frame of a plane: {root, x(v), y(v), left, right, top, bottom, layer}; `layer` is clipped to
 * the frame.
 */
export function frame({ width, height, range, scale, id, label }) {
  const [left, right, top, bottom] = [44 * scale, width - 8, 24 * scale, height - 42 * scale];
  const [x0, x1, y0, y1] = range;
  const x = scaleLinear([x0, x1], [left, right]);
  const y = scaleLinear([y0, y1], [bottom, top]);
  const root = svg("svg.scores-plane[role=group]", { width, height, "aria-label": label });
  const inside = [left, top, Math.max(0, right - left), Math.max(0, bottom - top)];
  root.append(svg("clipPath", { id: `${id}-clip` }, svg("rect", inside)), svg("rect.rule", inside));
  const across = ticks(x, { room: 70 * scale, em: 16 * scale });
  root.append(
    ...along(across, bottom, bottom + 4, bottom + 16 * scale),
    ...upwards(ticks(y, { room: 60 * scale }), left - 4, left, left - 7, 4 * scale),
    svg("text.start", [right, bottom + 34 * scale, "end"], "start_logit \u2192"),
    svg("text.end", [4, 12 * scale], "\u2191 end_logit"),
  );
  const layer = svg("g", { "clip-path": `url(#${id}-clip)` });
  root.append(layer);
  return { root, layer, x, y, left, right, top, bottom, range, scale };
}

/** The text of a position, or of a piece that another window holds; as typed where it was typed. */
export function textAt({ page: { reading }, w }, pos, doc = w.inside(pos) ? w.doc(pos) : null) {
  if (doc === null) return w.tokens[pos];
  const { start, end, text } = reading.tokens[doc];
  return reading.context.slice(start, end).trim() || text;
}

/** The line on which start + end is one number, inside the frame, or null; [x1, y1, x2, y2]. */
export function diagonal({ x, y, range: [x0, x1, y0, y1] }, sum) {
  const from = Math.max(x0, sum - y1);
  const to = Math.min(x1, sum - y0);
  return from < to ? [x(from), y(sum - from), x(to), y(sum - to)] : null;
}

/**
 * Diagonals of equal score; `null` is drawn stronger, its words stand where it leaves the frame. A
 * diagonal's number stands on none of the points; where there is no room for it, it is left out.
 */
export function diagonals(plane, nullScore, points = []) {
  const [x0, x1, y0, y1] = plane.range;
  const sums = ticks(scaleLinear([x0 + y0, x1 + y1], [0, 7]), { room: 1 });
  const step = sums.length > 1 ? sums[1].value - sums[0].value : 0;
  const group = svg("g[aria-hidden=true]");
  plane.taken = [];
  const dots = round(points, plane.scale);
  const rule = (sum) => {
    const at = diagonal(plane, sum);
    if (at) group.append(svg("line.diagonal", at));
    return at;
  };
  sums.forEach(({ value: sum, text }) => {
    const at = rule(sum);
    const named = at && Math.abs(sum - nullScore) > 0.6 * step && numberBox(plane, at, text, dots);
    if (!named) return;
    plane.taken.push(named);
    const [x, y] = [named.l, named.b - 4 * plane.scale];
    group.append(svg("text.quiet.small", [x, y], `= ${text}`));
  });
  return group;
}

/**
 * The first free place along a diagonal for its number.
 * @param {any} plane
 * @param {number[]} line
 * @param {string} text
 * @param {import("./places.js").Box[]} dots
 */
function numberBox({ scale, right, top, bottom, taken }, [x1, y1, x2, y2], text, dots) {
  const [w, h] = [9 * scale * (text.length + 2), 17 * scale];
  for (let k = 0; k < 1; k += 0.05) {
    const l = x1 + k * (x2 - x1) + 3;
    const t = Math.max(y1 + k * (y2 - y1), top) + scale;
    const box = { l, r: l + w, t, b: t + h };
    const free = box.r <= right && box.b <= bottom &&
      ![...taken, ...dots].some((o) => meet(box, o));
    if (free) return box;
  }
  return null;
}

/** A box round each dot, its rings included. */
const round = (points, scale) =>
  points.map(({ x, y, start, end }) => {
    const r = scale * (start && end ? 11 : start || end ? 8 : 4.5);
    return { l: x - r, r: x + r, t: y - r, b: y + r };
  });

/** A thin line from a dot to its label. */
function leader({ x, y }, box, gap) {
  const to = [Math.max(box.l, Math.min(box.r, x)), Math.max(box.t, Math.min(box.b, y))];
  const length = Math.hypot(to[0] - x, to[1] - y) || 1;
  const skip = Math.min(0.6 * gap, length) / length;
  return svg("line.scores-leader", [x + skip * (to[0] - x), y + skip * (to[1] - y), to[0], to[1]]);
}

/**
 * Labels in order of importance, off the dots and clear of the plane's `ways` (lists of points)
 * where there is such a place; one that finds no room is left out unless it is one of the answer.
 * Each: {x, y, text, name}; `points` are all dots.
 */
export function labels(plane, list, points = list) {
  const group = svg("g.scores-labels[aria-hidden=true]");
  const { scale, left, right, top, bottom } = plane;
  const taken = [...plane.taken ?? []];
  const dots = round(points, scale);
  for (const { x, y, text, name = "", gap: far = 8 } of list) {
    const shown = text.length > 22 ? `${text.slice(0, 21)}\u2026` : text;
    const [w, h, gap, must] = [9 * scale * shown.length + 6, 17 * scale, far * scale, name.trim()];
    const inside = { l: left, r: right, t: top, b: bottom };
    const box = placeFor({ x, y, w, h, gap, must: must !== "" }, inside, taken, dots, plane.ways);
    if (!box) continue;
    taken.push(box);
    if (box.far) group.append(leader({ x, y }, box, gap));
    const [at, anchor] = [
      [box.r, "end"],
      [(box.l + box.r) / 2, "middle"],
      [box.l, "start"],
    ][box.side + 1];
    const words = svg("tspan[unicode-bidi=isolate]", shown);
    group.append(svg(`text.scores-label.${name}`, [at, box.b - 4 * scale, anchor], words));
  }
  return group;
}

/**
 * Dots that can be focused and chosen; `on` = {choose(dot, extend), tell(dot or null)}. One tab
 * stop, arrows go along the text.
 */
export function dots(list, on, current, scale) {
  const group = svg("g.scores-dots[role=group]", {
    "aria-label": "Tokens; arrow keys go along the text, Enter selects",
  });
  const wide = 10 * scale;
  list.forEach((dot, k) => {
    const cross = `M${dot.x - 5 * scale},${dot.y - 5 * scale}l${wide},${wide}m0,${-wide}`;
    const size = scale * (dot.kind === "outside" ? 3 : 3.5);
    const shape = dot.kind === "cls"
      ? svg("path.cls", `${cross}l${-wide},${wide}`)
      : svg(`circle.point.${dot.kind}`, [dot.x, dot.y, size]);
    const node = svg(
      "g[role=button][tabindex=-1]",
      {
        class: `scores-dot ${dot.name ?? ""}`,
        "aria-label": dot.label,
        "data-pos": dot.pos,
        "aria-disabled": dot.doc === null ? "true" : null,
        ...pressed((event) => on.choose(dot, event.shiftKey)),
        onpointerenter: () => on.tell(dot),
        onpointerleave: () => on.tell(null),
        onfocus: () => on.tell(dot),
      },
      svg("circle.target", [dot.x, dot.y, 9 * scale]),
      shape,
      dot.start ? svg("circle.ring.of-start", [dot.x, dot.y, 7 * scale]) : null,
      dot.end ? svg("circle.ring.of-end", [dot.x, dot.y, scale * (dot.start ? 10 : 7)]) : null,
    );
    group.append(node);
    if (k === current) node.setAttribute("tabindex", "0");
  });
  roving(group, ".scores-dot", { current: Math.max(0, current) });
  return group;
}
