// A plane with the two logits as axes: scales, diagonals of equal sum, labels that do not collide,
// dots for mouse and keyboard.

import { isPress, roving, svg } from "../shared/dom.js";
import { scaleLinear, ticks } from "../shared/scales.js";

/**
 * The frame of a plane: {root, x(v), y(v), left, right, top, bottom, layer}; `layer` is clipped to
 * the frame.
 */
export function frame(
  { width, height, range, scale, id, label, names = ["start_logit", "end_logit"] },
) {
  const [left, right, top, bottom] = [44 * scale, width - 8, 20 * scale, height - 42 * scale];
  const [x0, x1, y0, y1] = range;
  const x = scaleLinear([x0, x1], [left, right]);
  const y = scaleLinear([y0, y1], [bottom, top]);
  const root = svg("svg", {
    width,
    height,
    class: "scores-plane",
    role: "group",
    "aria-label": label,
  });
  root.append(
    svg(
      "clipPath",
      { id: `${id}-clip` },
      svg("rect", {
        x: left,
        y: top,
        width: Math.max(0, right - left),
        height: Math.max(0, bottom - top),
      }),
    ),
  );
  root.append(
    svg("rect", {
      class: "rule",
      x: left,
      y: top,
      width: Math.max(0, right - left),
      height: Math.max(0, bottom - top),
    }),
  );
  ticks(x, { room: 70 * scale, em: 16 * scale }).forEach(({ at, text }) =>
    root.append(
      svg("line", { class: "rule", x1: at, x2: at, y1: bottom, y2: bottom + 4 }),
      svg("text", {
        class: "quiet",
        x: at,
        y: bottom + 16 * scale,
        "text-anchor": "middle",
      }, text),
    )
  );
  ticks(y, { room: 60 * scale }).forEach(({ at, text }) =>
    root.append(
      svg("line", { class: "rule", x1: left - 4, x2: left, y1: at, y2: at }),
      svg("text", { class: "quiet", x: left - 7, y: at + 4, "text-anchor": "end" }, text),
    )
  );
  root.append(
    svg("text", {
      class: names[0] === "start_logit" ? "start" : "quiet",
      x: right,
      y: bottom + 34 * scale,
      "text-anchor": "end",
    }, `${names[0]} \u2192`),
    svg(
      "text",
      { class: names[1] === "end_logit" ? "end" : "quiet", x: 4, y: 12 * scale },
      `\u2191 ${names[1]}`,
    ),
  );
  const layer = svg("g", { "clip-path": `url(#${id}-clip)` });
  root.append(layer);
  return { root, layer, x, y, left, right, top, bottom, range, scale };
}

/** The line on which start + end is one number, inside the frame, or null; [x1, y1, x2, y2]. */
export function diagonal({ x, y, range: [x0, x1, y0, y1] }, sum) {
  const from = Math.max(x0, sum - y1);
  const to = Math.min(x1, sum - y0);
  return from < to ? [x(from), y(sum - from), x(to), y(sum - to)] : null;
}

/**
 * Diagonals of equal score; `null` is drawn stronger, its words stand where it leaves the frame.
 */
export function diagonals(plane, nullScore) {
  const [x0, x1, y0, y1] = plane.range;
  const sums = ticks(scaleLinear([x0 + y0, x1 + y1], [0, 7]), { room: 1 });
  const step = sums.length > 1 ? sums[1].value - sums[0].value : 0;
  const group = svg("g", { "aria-hidden": "true" });
  plane.taken = [];
  const rule = (sum, name) => {
    const at = diagonal(plane, sum);
    if (at) group.append(svg("line", { class: name, x1: at[0], y1: at[1], x2: at[2], y2: at[3] }));
    return at;
  };
  sums.forEach(({ value: sum, text }) => {
    const at = rule(sum, "diagonal");
    if (at && at[1] < plane.bottom - 20 * plane.scale && Math.abs(sum - nullScore) > 0.6 * step) {
      const [x, y] = [
        Math.min(at[0] + 3, plane.right - 40 * plane.scale),
        Math.max(at[1], plane.top) + 14 * plane.scale,
      ];
      const wide = 9 * plane.scale * (text.length + 2);
      plane.taken.push({ l: x, r: x + wide, t: y - 13 * plane.scale, b: y + 4 * plane.scale });
      group.append(svg("text", { class: "quiet small", x, y }, `= ${text}`));
    }
  });
  return group;
}

/**
 * Whether a line from one point to another touches a box.
 * @param {{l: number, r: number, t: number, b: number}} box
 * @param {number[]} from [x, y]
 * @param {number[]} to [x, y]
 */
export function touches({ l, r, t, b }, from, to) {
  let [low, high] = [0, 1];
  for (const [axis, least, most] of [[0, l, r], [1, t, b]]) {
    const step = to[axis] - from[axis];
    if (!step && (from[axis] < least || from[axis] > most)) return false;
    if (!step) continue;
    const ends = [(least - from[axis]) / step, (most - from[axis]) / step].sort((p, q) => p - q);
    low = Math.max(low, ends[0]);
    high = Math.min(high, ends[1]);
  }
  return low <= high;
}

/**
 * Labels in order of importance, clear of the plane's `ways` (lists of points) where there is such a
 * place; one that finds no room is left out. Each: {x, y, text, name}.
 */
export function labels(plane, list) {
  const group = svg("g", { class: "scores-labels", "aria-hidden": "true" });
  const { scale, left, right, top, bottom } = plane;
  const taken = [...plane.taken ?? []];
  for (const { x, y, text, name = "", gap: far = 8 } of list) {
    const gap = far * scale;
    const shown = text.length > 22 ? `${text.slice(0, 21)}\u2026` : text;
    const [w, h] = [9 * scale * shown.length + 6, 17 * scale];
    const spots = [
      [x + gap, y + 4, "start"],
      [x - gap, y + 4, "end"],
      [x, y - gap - 2, "middle"],
      [x, y + gap + 12, "middle"],
      [x + gap, y - 12, "start"],
      [x - gap, y + 20, "end"],
    ];
    const rooms = spots.map(([px, py, anchor]) => {
      const l = px - (anchor === "end" ? w : anchor === "middle" ? w / 2 : 0);
      const t = py - h + 3;
      return { px, py, anchor, l, t, r: l + w, b: t + h };
    }).filter((box) =>
      box.l >= left && box.r <= right && box.t >= top && box.b <= bottom &&
      !taken.some((o) => box.l < o.r && box.r > o.l && box.t < o.b && box.b > o.t)
    );
    const clear = (box) =>
      (plane.ways ?? []).every((way) => way.every((to, k) => !k || !touches(box, way[k - 1], to)));
    const box = rooms.find(clear) ?? rooms[0];
    if (box) {
      const { px, py, anchor } = box;
      taken.push(box);
      group.append(
        svg(
          "text",
          { class: `scores-label ${name}`, x: px, y: py, "text-anchor": anchor },
          svg("tspan", { "unicode-bidi": "isolate" }, shown),
        ),
      );
    }
  }
  return group;
}

/**
 * Dots that can be focused and chosen; `on` = {choose(dot, extend), tell(dot or null)}. One tab
 * stop, arrows go along the text.
 */
export function dots(list, on, current, scale) {
  const group = svg("g", {
    class: "scores-dots",
    role: "group",
    "aria-label": "Tokens; arrow keys go along the text, Enter selects",
  });
  list.forEach((dot, k) => {
    const shape = dot.kind === "cls"
      ? svg("path", {
        class: "cls",
        d: `M${dot.x - 5 * scale},${dot.y - 5 * scale}l${10 * scale},${10 * scale}m0,${
          -10 * scale
        }l${-10 * scale},${10 * scale}`,
      })
      : svg("circle", {
        class: `point ${dot.kind}`,
        cx: dot.x,
        cy: dot.y,
        r: scale * (dot.kind === "outside" ? 3 : 3.5),
      });
    const node = svg(
      "g",
      {
        class: `scores-dot ${dot.name ?? ""}`,
        role: "button",
        tabindex: -1,
        "aria-label": dot.label,
        "data-pos": dot.pos,
        "aria-disabled": dot.doc === null ? "true" : null,
      },
      svg("circle", { class: "target", cx: dot.x, cy: dot.y, r: 9 * scale }),
      shape,
      dot.start
        ? svg("circle", { class: "ring of-start", cx: dot.x, cy: dot.y, r: 7 * scale })
        : null,
      dot.end
        ? svg("circle", {
          class: "ring of-end",
          cx: dot.x,
          cy: dot.y,
          r: scale * (dot.start ? 10 : 7),
        })
        : null,
    );
    node.addEventListener("click", (event) => on.choose(dot, event.shiftKey));
    node.addEventListener("keydown", (event) => {
      if (isPress(event)) {
        event.preventDefault();
        on.choose(dot, event.shiftKey);
      }
    });
    node.addEventListener("pointerenter", () => on.tell(dot));
    node.addEventListener("pointerleave", () => on.tell(null));
    node.addEventListener("focus", () => on.tell(dot));
    group.append(node);
    if (k === current) node.setAttribute("tabindex", "0");
  });
  roving(group, ".scores-dot", { current: Math.max(0, current) });
  return group;
}
