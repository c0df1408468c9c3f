// The same matrix turned by 45 degrees: a tent over the text. x = (i + j) / 2, y = j - i; each cell
// stands above its own span.

import { drawing, el, svg } from "../shared/dom.js";
import { LEGAL, NOT_OWNED } from "./cells.js";
import { layLine, lineText } from "./text.js";

const CEILING = 24;

/** Build the tent; only what is in sight is painted, again at each scroll. */
export function drawTent(root, cells, picture, page, { width, height }) {
  const scale = page.scale;
  const line = layLine(page, cells.doc(cells.first), cells.doc(cells.stop - 1), 17 * scale);
  const foot = 46 * scale;
  const tall = Math.max(120, height - foot - CEILING * scale);
  const longest = Math.min(cells.longest, cells.stop - cells.first);
  const view = {
    line,
    width,
    height: tall + foot + CEILING * scale,
    base: tall + CEILING * scale,
    unit: tall / (longest + 1),
    longest,
    scale,
    pad: Math.max(12, (width - line.total) / 2),
  };
  view.canvas = el("canvas.spans-cells", {
    style: { width: `${width}px`, height: `${view.height}px` },
  });
  view.words = svg("g");
  view.marks = svg("g");
  view.layer = el(
    "div.spans-tent-layer",
    { style: { width: `${width}px`, height: `${view.height}px` } },
    view.canvas,
    drawing(width, view.height, { "aria-hidden": "true" }, view.words, view.marks),
  );
  const run = el(
    "div",
    { style: { width: `${Math.max(width, line.total + 2 * view.pad)}px` } },
    view.layer,
  );
  view.box = root;
  root.replaceChildren(run);
  view.paint = () => paintTent(view, cells, picture, page);
  return view;
}

const shiftOf = (view) => view.box.scrollLeft - view.pad;

/** The corner of two borders: x between them, y by their distance in pieces. */
const corner = (view, shift, u, v, cells) => [
  (view.line.edge(cells.doc(u)) + view.line.edge(cells.doc(v))) / 2 - shift,
  view.base - (v - u) * view.unit,
];

function corners(view, shift, cells, i, j) {
  return [[i, j], [i, j + 1], [i + 1, j + 1], [i + 1, j]].map(([u, v]) =>
    corner(view, shift, u, v, cells)
  )
    .map(([x, y]) => [x, Math.min(y, view.base)]);
}

function mixer(page) {
  const weights = new Map();
  const [paper, ink] = [page.colour("paper"), page.colour("ink")];
  return (weight) => {
    const step = Math.round(weight * 100);
    if (!weights.has(step)) weights.set(step, `color-mix(in srgb, ${ink} ${step}%, ${paper})`);
    return weights.get(step);
  };
}

function trace(context, points) {
  context.beginPath();
  points.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
}

function paintTent(view, cells, picture, page) {
  const ratio = window.devicePixelRatio || 1;
  const shift = shiftOf(view);
  Object.assign(view.canvas, {
    width: Math.round(view.width * ratio),
    height: Math.round(view.height * ratio),
  });
  const context = view.canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.save();
  context.beginPath();
  context.rect(0, 0, view.width, view.base);
  context.clip();
  const mix = mixer(page);
  const edges = [];
  const above = (i, j) => cells.code(i, j) === LEGAL && cells.score(i, j) >= picture.line.at;
  for (let i = cells.first; i < cells.stop; i += 1) {
    for (let j = i; j < Math.min(cells.stop, i + cells.longest); j += 1) {
      const points = corners(view, shift, cells, i, j);
      const xs = points.map(([x]) => x);
      if (Math.max(...xs) < 0 || Math.min(...xs) > view.width) continue;
      context.fillStyle = cells.code(i, j) === LEGAL
        ? mix(cells.weight(cells.score(i, j)))
        : page.colour("tint");
      context.strokeStyle = context.fillStyle;
      trace(context, points);
      context.fill();
      context.lineWidth = 0.6;
      context.stroke();
      if (!above(i, j)) continue;
      const [left, top, right, low] = points;
      if (!above(i - 1, j)) edges.push([left, top]);
      if (!above(i, j + 1)) edges.push([top, right]);
      if (!above(i + 1, j)) edges.push([right, low]);
      if (j > i && !above(i, j - 1)) edges.push([low, left]);
    }
  }
  for (const [wide, role] of [[3, "paper"], [1.25, "ink"]]) {
    context.lineWidth = wide;
    context.strokeStyle = page.colour(role);
    context.beginPath();
    for (const [[a, b], [c, d]] of edges) {
      context.moveTo(a, b);
      context.lineTo(c, d);
    }
    context.stroke();
  }
  context.restore();
  frame(view, cells, picture, shift);
  moveTent(view, cells, picture, view.chosen, view.cursor);
}

function frame(view, cells, picture, shift) {
  const ceiling = view.base - (view.longest + 1) * view.unit;
  const nodes = lineText(view.line, view.base + 24 * view.scale, shift, view.width);
  nodes.push(svg("path.rule", `M0,${view.base}H${view.width}`));
  if (cells.longest < cells.stop - cells.first) {
    nodes.push(
      svg("rect.illegal", [0, 0, view.width, Math.max(0, ceiling)]),
      svg("text.region", [view.width / 2, ceiling - 8 * view.scale, "middle"], picture.words[3]),
    );
  }
  view.words.replaceChildren(...nodes, ...notOwned(view, cells, picture, shift));
}

/** One word over each run of starts that another window owns. */
function notOwned(view, cells, picture, shift) {
  const nodes = [];
  for (let i = cells.first; i < cells.stop; i += 1) {
    if (cells.owned[i]) continue;
    let end = i;
    while (end + 1 < cells.stop && !cells.owned[end + 1]) end += 1;
    const [a, b] = view.line.glyphs(cells.doc(i), cells.doc(end)).map((x) =>
      Math.min(Math.max(x - shift, 0), view.width)
    );
    if (b - a > 90 * view.scale) {
      nodes.push(
        svg(
          "text.region",
          [(a + b) / 2, view.base - 14 * view.scale, "middle"],
          picture.words[NOT_OWNED],
        ),
      );
    }
    i = end;
  }
  return nodes;
}

const polygon = (points) => `M${points.join("L")}Z`;

/** Guide lines to start and end, the outline of the selection, the bracket under the winner. */
export function moveTent(view, cells, picture, chosen, cursor) {
  Object.assign(view, { chosen, cursor });
  const shift = shiftOf(view);
  const at = (k) => view.line.middle(cells.doc(k)) - shift;
  const foot = view.base + 8;
  const nodes = [];
  const ends = (span) => view.line.glyphs(...span.map(cells.doc)).map((x) => x - shift);
  const guides = ([i, j], kind) => {
    const from = corner(view, shift, i + 0.5, j + 0.5, cells);
    return [["start", i], ["end", j]].map(([side, k]) =>
      svg(`path.guide.${side}-line.${kind}`, `M${from}L${at(k)},${foot}`)
    );
  };
  if (picture.winner) {
    const [a, b] = ends(picture.winner);
    const y = view.base + 33 * view.scale;
    nodes.push(svg("path.mark-predicted", `M${a},${y}v5H${b}v-5`));
  }
  if (chosen) {
    const [a, b] = ends(chosen);
    nodes.push(
      ...guides(chosen, ""),
      svg("path.mark-selected", polygon(corners(view, shift, cells, ...chosen))),
      svg("rect.mark-selected", [a - 2, view.base + 7 * view.scale, b - a + 4, 23 * view.scale, 2]),
    );
  }
  if (cursor && cells.isSpan(...cursor)) {
    nodes.push(
      ...guides(cursor, "faint"),
      svg("path.mark-contrast", polygon(corners(view, shift, cells, ...cursor))),
    );
  }
  view.marks.replaceChildren(...nodes);
}

/** Bring a span into sight. */
export function reveal(view, cells, [i, j]) {
  const x = (view.line.middle(cells.doc(i)) + view.line.middle(cells.doc(j))) / 2 + view.pad;
  const far = Math.abs(x - view.box.scrollLeft - view.width / 2);
  if (far > view.width * 0.4) view.box.scrollLeft = x - view.width / 2;
}

/**
 * The cell under a pointer event, or null: solve (edge(u) + edge(u + d)) / 2 = x for u, which is
 * monotone.
 */
export function tentCellAt(view, cells, event) {
  const box = view.canvas.getBoundingClientRect();
  const x = event.clientX - box.left + shiftOf(view);
  const d = (view.base - (event.clientY - box.top)) / view.unit;
  if (d < 0) return null;
  let [low, high] = [cells.first, cells.stop - d];
  const place = (u) => (view.line.edge(cells.doc(u)) + view.line.edge(cells.doc(u + d))) / 2;
  const sign = view.line.rtl ? -1 : 1;
  if (high < low || sign * (x - place(low)) < 0 || sign * (x - place(high)) > 0) return null;
  for (let k = 0; k < 40; k += 1) {
    const middle = (low + high) / 2;
    if (sign * (place(middle) - x) > 0) high = middle;
    else low = middle;
  }
  const [i, j] = [Math.floor(low), Math.floor(low + d)];
  return cells.isSpan(i, j) && j < i + cells.longest ? [i, j] : null;
}
