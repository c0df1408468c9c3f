// The square of the books: rows are starts, columns are ends. Cells are drawn once to a canvas;
// marks move above it in SVG.

import { drawing, el, hollow, svg } from "../shared/dom.js";
import { softmax } from "../shared/pack.js";
import { max } from "../shared/scales.js";
import { BACKWARD, LEGAL, NOT_OWNED, OUTSIDE, TOO_LONG } from "./cells.js";
import { across, down } from "./labels.js";

const NEAR = 48;

/** The positions [lo, hi) that are drawn: the whole window, or NEAR of them around a cell. */
export function range(cells, near, i, j) {
  if (!near || cells.n <= NEAR) return { lo: 0, hi: cells.n };
  const lo = Math.max(0, Math.min(cells.n - NEAR, Math.round((i + j) / 2) - NEAR / 2));
  return { lo, hi: lo + NEAR };
}

export const canZoom = (cells) => cells.n > NEAR * 1.5;

function rgb(colour) {
  const context = el("canvas", { width: 1, height: 1 }).getContext("2d", {
    willReadFrequently: true,
  });
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  return context.getImageData(0, 0, 1, 1).data;
}

function image(cells, { lo, hi }, page) {
  const size = hi - lo;
  const canvas = el("canvas", { width: size, height: size });
  const context = canvas.getContext("2d");
  const data = context.createImageData(size, size);
  const [paper, ink, tint] = ["paper", "ink", "tint"].map((role) => rgb(page.colour(role)));
  for (let i = lo; i < hi; i += 1) {
    for (let j = lo; j < hi; j += 1) {
      const legal = cells.code(i, j) === LEGAL || (i === cells.clsAt && j === cells.clsAt);
      const weight = legal ? cells.weight(cells.score(i, j)) : 0;
      const base = legal ? paper : tint;
      const at = 4 * ((i - lo) * size + j - lo);
      for (let c = 0; c < 3; c += 1) data.data[at + c] = base[c] + (ink[c] - base[c]) * weight;
      data.data[at + 3] = 255;
    }
  }
  context.putImageData(data, 0, 0);
  return canvas;
}

/**
 * Enlarge without blur to a whole number of pixels, then fit: cells keep equal widths at any size.
 */
function paint(canvas, source, side) {
  const ratio = window.devicePixelRatio || 1;
  const pixels = Math.round(side * ratio);
  Object.assign(canvas, { width: pixels, height: pixels });
  const context = canvas.getContext("2d");
  const whole = Math.ceil(pixels / source.width) * source.width;
  const large = el("canvas", { width: whole, height: whole });
  const middle = large.getContext("2d");
  middle.imageSmoothingEnabled = false;
  middle.drawImage(source, 0, 0, whole, whole);
  context.imageSmoothingEnabled = whole !== pixels;
  context.drawImage(large, 0, 0, pixels, pixels);
  return context;
}

/**
 * Edges between the cells for which `holds` and those for which it does not, as one path in pixels.
 */
function outline(cells, { lo, hi }, cell, holds) {
  let d = "";
  const on = (i, j) => i >= lo && i < hi && j >= lo && j < hi && holds(i, j);
  for (let i = lo; i < hi; i += 1) {
    const [from, to] = [Math.max(lo, cells.first), Math.min(hi, cells.stop)];
    for (let j = from; j < to; j += 1) {
      if (!holds(i, j)) continue;
      const [x, y] = [(j - lo) * cell, (i - lo) * cell];
      if (!on(i - 1, j)) d += `M${x},${y}h${cell}`;
      if (!on(i + 1, j)) d += `M${x},${y + cell}h${cell}`;
      if (!on(i, j - 1)) d += `M${x},${y}v${cell}`;
      if (!on(i, j + 1)) d += `M${x + cell},${y}v${cell}`;
    }
  }
  return d;
}

/** Where each region's one word stands; a word needs room or a place beside it. */
function regionWords(cells, { lo, hi }, cell, words, scale) {
  const [a, b] = [Math.max(lo, cells.first) - lo, Math.min(hi, cells.stop) - lo];
  const side = (b - a) * cell;
  const out = [];
  const put = (text, x, y, anchor = "middle") => out.push({ text, x, y, anchor });
  if (b - a > 1 && side > 90 * scale) {
    put(words[BACKWARD], a * cell + side * 0.27, a * cell + side * 0.78);
  }
  const free = (b - a - cells.longest) * cell;
  if (free > 75 * scale) put(words[TOO_LONG], b * cell - free * 0.3, a * cell + free * 0.3);
  if (lo <= cells.clsAt && cells.clsAt < hi && a * cell > 12 * scale && side > 250 * scale) {
    const y = Math.max(12 * scale, (cells.clsAt - lo + 0.5) * cell + 4);
    put("no answer", (cells.clsAt + 1 - lo) * cell + 4, y, "start");
  }
  if (lo < cells.first && a * cell > 6) {
    put(words[OUTSIDE], ((hi - lo) / 2) * cell, Math.max(12 * scale, (a * cell) / 2 + 4 * scale));
  } else if (cells.stop < hi && lo === 0) put(words[OUTSIDE], 6, 12 * scale, "start");
  for (let i = a + lo; i < b + lo; i += 1) {
    if (cells.owned[i]) continue;
    let end = i;
    while (end + 1 < b + lo && !cells.owned[end + 1]) end += 1;
    const y = ((i + end + 1) / 2 - lo) * cell;
    const right = Math.min((i + end + 1) / 2 + cells.longest, b + lo) - lo;
    const roomy = (hi - lo - right) * cell > 70 * scale;
    if ((end - i + 1) * cell > 16 * scale) {
      if (roomy) put(words[NOT_OWNED], right * cell + 5, y + 4 * scale, "start");
      else put(words[NOT_OWNED], Math.max(a * cell + 4, y - 8), y + 4 * scale, "end");
    }
    i = end;
  }
  return apart(out, scale);
}

/** Words that find their place taken, or that leave the square, are left out: the read-out says them at every cell. */
function apart(list, scale) {
  const taken = [];
  return list.filter(({ text, x, y, anchor }) => {
    const wide = text.length * 7.5 * scale;
    const left = x - { start: 0, middle: wide / 2, end: wide }[anchor];
    const clash = left < 0 ||
      taken.some((t) => left < t.right && t.left < left + wide && Math.abs(t.y - y) < 15 * scale);
    if (!clash) taken.push({ left, right: left + wide, y });
    return !clash;
  });
}

function margins(cells, view, page) {
  const { lo, hi, cell, left, top, side, scale } = view;
  const [ps, pe] = [cells.s, cells.e].map((row) => softmax(row, page.reading.temperature ?? 1));
  const floor = 1 / cells.n;
  const [tallS, tallE] = [max(ps), max(pe)];
  const thick = Math.max(1.5, Math.min(cell * 0.7, 8 * scale));
  const bars = [];
  for (let k = lo; k < hi; k += 1) {
    const at = (k - lo + 0.5) * cell - thick / 2;
    if (pe[k] >= floor) {
      const h = Math.max(1, (pe[k] / tallE) * (top - 16 * scale));
      bars.push(svg("rect.end", [left + at, top - 3 - h, thick, h]));
    }
    if (ps[k] >= floor) {
      const h = Math.max(1, (ps[k] / tallS) * view.right);
      bars.push(svg("rect.start", [left + side + 3, top + at, h, thick]));
    }
  }
  return [
    ...bars,
    svg("text.end", [left, 11 * scale], "P(end), sum = 1"),
    svg("text.start", [left + side + 4, top - 18 * scale], "P(start)"),
    svg("text.start", [left + side + 4, top - 4 * scale], "sum = 1"),
  ];
}

/** Build the square into `root`; returns what moving the marks needs. */
export function drawSquare(root, cells, picture, page, options) {
  const scale = page.scale;
  const { lo, hi } = options.range;
  const names = page.narrow ? [] : picture.top;
  /** @type {any} */
  const view = {
    lo,
    hi,
    scale,
    left: (page.narrow ? 30 : 96) * scale,
    top: (page.narrow ? 34 : 46) * scale,
    right: (page.narrow ? 46 : 58) * scale,
  };
  const most = options.width - view.left - view.right;
  view.side = most;
  view.cell = view.side / (hi - lo);
  const deep = across(cells, view, names.map(([, j]) => j)).depth;
  view.side = Math.max(120, Math.min(most, options.height - view.top - deep));
  view.cell = view.side / (hi - lo);
  const rows = down(cells, view, names.map(([i]) => i));
  const columns = across(cells, view, names.map(([, j]) => j));
  const width = view.left + view.side + view.right;
  const height = view.top + view.side + columns.depth;
  const canvas = el("canvas.spans-cells", {
    style: {
      left: `${view.left}px`,
      top: `${view.top}px`,
      width: `${view.side}px`,
      height: `${view.side}px`,
    },
  });
  paint(canvas, image(cells, { lo, hi }, page), view.side);
  const edges = (holds) => outline(cells, { lo, hi }, view.cell, holds);
  const isLegal = (i, j) => cells.code(i, j) === LEGAL;
  const above = edges((i, j) => isLegal(i, j) && cells.score(i, j) >= picture.line.at);
  // a thumbnail is too small for words
  const regions = options.words === false
    ? []
    : regionWords(cells, { lo, hi }, view.cell, picture.words, scale);
  const inner = svg(
    "g",
    { transform: `translate(${view.left},${view.top})` },
    svg("rect.rule", [0, 0, view.side, view.side]),
    svg("path.rule", edges(isLegal)),
    svg("path.rule", edges((i, j) => cells.code(i, j) === NOT_OWNED)),
    svg("path.contour-gap", above),
    svg("path.contour", above),
    regions.map(({ text, x, y, anchor }) => svg("text.region", [x, y, anchor], text)),
    picture.grid.on ? gridLines(picture.grid, view) : [],
  );
  const marks = svg("g");
  root.replaceChildren(
    el(
      "div.spans-square",
      { style: { width: `${width}px`, height: `${height}px` } },
      canvas,
      drawing(
        width,
        height,
        { "aria-hidden": "true" },
        margins(cells, view, page),
        rows.nodes,
        columns.nodes,
        inner,
        marks,
      ),
    ),
  );
  return { ...view, marks, canvas, box: root.firstChild };
}

function gridLines(grid, { lo, hi, cell, side }) {
  const at = (k) => (k - lo + 0.5) * cell;
  const seen = (k) => k >= lo && k < hi;
  return [
    ...grid.starts.filter(seen).map((i) => svg("path.grid-line.start-line", `M0,${at(i)}H${side}`)),
    ...grid.ends.filter(seen).map((j) => svg("path.grid-line.end-line", `M${at(j)},0V${side}`)),
    ...grid.missed.filter(([i, j]) => seen(i) && seen(j)).map(([i, j]) =>
      svg("path.missed", `M${at(j) - 4},${at(i) - 4}l8,8m-8,0l8,-8`)
    ),
  ];
}

/** Bands, bracket, outline, hollow triangles and the cursor: everything that moves. */
export function moveMarks(view, picture, chosen, cursor) {
  const { lo, hi, cell, left, top, side } = view;
  const seen = (i, j) => i >= lo && i < hi && j >= lo && j < hi;
  const [x, y] = [left, top].map((from) => (k) => from + (k - lo + 0.5) * cell);
  const nodes = [];
  const box = (i, j, least, kind) => {
    const size = Math.max(cell, least);
    nodes.push(svg(`rect.${kind}`, [x(j) - size / 2, y(i) - size / 2, size, size]));
  };
  const bands = picture.winner ?? chosen;
  const haloed = (d, kind) => nodes.push(svg("path.halo", d), svg(`path.${kind}`, d));
  if (bands && seen(...bands)) {
    const wide = Math.max(cell, 2);
    nodes.push(
      svg("rect.start.band", [left, y(bands[0]) - wide / 2, side, wide]),
      svg("rect.end.band", [x(bands[1]) - wide / 2, top, wide, side]),
    );
  }
  if (picture.winner && seen(...picture.winner)) {
    const [i, j] = picture.winner;
    const half = Math.max(cell, 12) / 2;
    haloed(`M${x(j) - half - 2},${y(i) + half - 1}v5h${2 * half + 4}v-5`, "mark-predicted");
  }
  if (picture.apart) {
    const { i, j, reason } = picture.apart;
    const turned = (x, y, angle, role) => {
      const transform = `translate(${x},${y}) rotate(${angle})`;
      nodes.push(svg("g", { transform }, hollow(0, 0, role, 5)));
    };
    if (i >= lo && i < hi) turned(left + side + 2, y(i), 90, "start");
    if (j >= lo && j < hi) turned(x(j), top - 2, 180, "end");
    if (reason && seen(i, j)) {
      haloed(`M${x(j) - 6},${y(i) - 6}l12,12M${x(j) - 6},${y(i) + 6}l12,-12`, "unfit");
    }
  }
  if (chosen && seen(...chosen)) {
    box(...chosen, 9, "halo");
    box(...chosen, 9, "mark-selected");
  }
  if (cursor && seen(...cursor)) {
    const lines = `M${left},${y(cursor[0])}H${left + side}M${x(cursor[1])},${top}V${top + side}`;
    nodes.push(svg("path.cross", lines));
    box(...cursor, 7, "mark-contrast");
  }
  view.marks.replaceChildren(...nodes);
}

/** The cell under a pointer event, or null. */
export function cellAt(view, event) {
  const box = view.canvas.getBoundingClientRect();
  const [j, i] = [event.clientX - box.left, event.clientY - box.top].map((x) =>
    Math.floor((x / box.width) * (view.hi - view.lo)) + view.lo
  );
  return i >= view.lo && i < view.hi && j >= view.lo && j < view.hi ? [i, j] : null;
}
