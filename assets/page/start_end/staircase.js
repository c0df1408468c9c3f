// The overview: one row a window at its place in the paragraph, one column a token, its opacity
// from p; start above, end below.

import { el, isPress, sized, svg } from "../shared/dom.js";
import { max } from "../shared/scales.js";
import { decades } from "../shared/stems.js";
import { goldSpans } from "../shared/window.js";

export function rowHeight(windows) {
  return windows === 1 ? 24 : Math.max(2, Math.min(22, Math.floor(240 / windows)));
}

/**
 * {root, draw(model), mark(model)}; `choose(window, side, doc)` is called for a click, `tell(place or
 * null, point)` while one is pointed at, by the mouse or by arrow keys.
 */
export function staircase(choose, tell) {
  const canvas = el("canvas[aria-hidden=true]");
  const over = svg("svg.over[aria-hidden=true]");
  const box = el(
    "div.staircase[tabindex=0][role=application][aria-roledescription=overview]",
    canvas,
    over,
  );
  let now = null;
  keyed(box, over, () => now, choose, tell);
  const at = (event) => hit(now, box.getBoundingClientRect(), event);
  box.addEventListener("click", (event) => {
    const found = now && at(event);
    if (found) choose(found.window, found.side, found.doc);
  });
  box.addEventListener("pointermove", (event) => {
    const found = now && at(event);
    box.cursor = null;
    point(over, now, null);
    tell(found, { x: event.clientX, y: event.clientY });
  });
  box.addEventListener("pointerleave", () => tell(null));
  return {
    root: box,
    draw(model) {
      now = model;
      paint(canvas, over, model);
      box.setAttribute("aria-label", named(model));
      mark(over, model);
      if (box.cursor && !held(model, box.cursor)) box.cursor = null;
      point(over, model, box.cursor ?? null);
    },
    mark(model) {
      now = model;
      mark(over, model);
      point(over, model, box.cursor ?? null);
    },
  };
}

function paint(canvas, over, model) {
  const { page, width, spread } = model;
  const { windows, tokens } = page.reading;
  const row = rowHeight(windows.length);
  const height = row * windows.length + 8;
  const dense = window.devicePixelRatio || 1;
  Object.assign(canvas, { width: Math.round(width * dense), height: Math.round(height * dense) });
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  sized(over, width, height);
  const pen = canvas.getContext("2d");
  pen.scale(dense, dense);
  const column = width / tokens.length;
  const [start, end, quiet, line] = ["start", "end", "quiet", "line"].map(page.colour);
  const top = windows.length > 1 ? strongest(windows, spread) : 1;
  windows.forEach((w, k) => {
    const y = k * row;
    const gap = row > 6 ? 2 : 0.5;
    pen.globalAlpha = 1;
    pen.fillStyle = line;
    const [a, b] = owned(page.reading.owner, w);
    pen.fillRect(a * column, y, (b - a) * column, row - gap);
    pen.fillStyle = quiet; // the window, seen on paper too: its line has the text's contrast
    const height = (row - gap) / 2;
    pen.fillRect(w.docStart * column, y + height - 0.5, (w.docStop - w.docStart) * column, 1);
    const p = spread(k);
    columns(pen, start, p.start, w, model, { column, at: y, height, top });
    columns(pen, end, p.end, w, model, { column, at: y + height, height, top });
  });
}

/** The largest probability of a token of the paragraph, in any window. */
function strongest(windows, spread) {
  const highest = ({ index, contextAt, stop }) =>
    ["start", "end"].map((side) => max(spread(index)[side].subarray(contextAt, stop)));
  return max(windows.flatMap(highest)) || 1;
}

const LEAST = 0.35;

/**
 * Opacity of a probability: its share of `top`, and seen at all where it is three times what each
 * of n positions would have.
 * @param {number} p
 * @param {{log: boolean, top: number, n: number}} scale
 */
export function ink(p, { log, top, n }) {
  if (log) return decades(p);
  const share = Math.min(1, p / top);
  return p >= Math.max(0.01, 3 / n) ? Math.max(LEAST, share) : share;
}

function owned(owner, w) {
  const a = owner.indexOf(w.index);
  return a < 0 ? [w.docStart, w.docStart] : [a, owner.lastIndexOf(w.index) + 1];
}

// Several tokens on one pixel column show the strongest of them; a column is never thinner than the
// eye can find.
function columns(pen, colour, p, w, { log, page }, { column, at, height, top }) {
  const wide = Math.max(page.reading.windows.length > 1 ? 3 : 2, column * 0.8);
  const found = new Map();
  for (let d = w.docStart; d < w.docStop; d += 1) {
    const value = p[w.pos(d)];
    const opacity = ink(value, { log, top, n: w.n }) *
      (page.reading.owner[d] === w.index ? 1 : 0.3);
    const x = column >= 2 ? (d + 0.5) * column : Math.round((d + 0.5) * column);
    if (opacity > 0.01 && opacity > (found.get(x) ?? 0)) found.set(x, opacity);
  }
  pen.fillStyle = colour;
  for (const [x, opacity] of found) {
    pen.globalAlpha = opacity;
    pen.fillRect(x - wide / 2, at, wide, height);
  }
}

function mark(over, model) {
  const { page, width } = model;
  const { windows, tokens } = page.reading;
  const row = rowHeight(windows.length);
  const column = width / tokens.length;
  const reach = (from, to) => {
    const x = from * column;
    const w = Math.max((to - from + 1) * column, 5);
    return [Math.max(0, x - 1), Math.min(width, x + w + 1)];
  };
  const parts = [];
  for (const { start, end } of goldSpans(page.reading)) {
    const [a, b] = reach(start, end);
    const y = row * windows.length + 2;
    parts.push(svg("path.mark-gold", `M${a},${y}H${b}M${a},${y + 3}H${b}`));
  }
  if (windows.length > 1) {
    const w = windows[model.window.index];
    const [from, to] = [w.docStart * column, w.docStop * column];
    parts.push(svg("rect.this-row", [from, w.index * row - 0.5, to - from, row]));
  }
  if (page.predicted) {
    const [a, b] = reach(page.predicted.start, page.predicted.end);
    const y = (page.predicted.window + 1) * row;
    parts.push(svg("path.mark-predicted", `M${a},${y - 3}v4H${b}v-4`));
  }
  if (page.selection) {
    const [a, b] = reach(page.selection.start, page.selection.end);
    parts.push(
      svg("rect.mark-selected", [a - 1, page.selection.window * row - 1, b - a + 2, row, 1.5]),
    );
  }
  over.replaceChildren(...parts);
}

const named = ({ page }) => {
  const { windows, tokens } = page.reading;
  return `Overview: ${
    windows.length === 1 ? "one window" : `${windows.length} windows`
  } over ${tokens.length} word pieces; left and right move by word piece, up and down between starts and ends, Enter selects`;
};

// By keyboard: a cursor on one half-row of one window, at one word piece.

function keyed(box, over, model, choose, tell) {
  const put = (place) => {
    box.cursor = place;
    point(over, model(), place);
    if (!place) return tell(null);
    const edge = box.getBoundingClientRect();
    const at = centreOf(model(), place);
    return tell(place, { x: edge.left + at.x, y: edge.top + at.y });
  };
  box.addEventListener("keydown", (event) => {
    const now = model();
    if (!now) return;
    const from = box.cursor ?? first(now);
    if (isPress(event)) {
      event.preventDefault();
      choose(from.window, from.side, from.doc);
    } else if (event.key === "Escape" && box.cursor) {
      event.preventDefault();
      put(null);
    } else if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") {
      event.preventDefault();
      put(moved(now, from, event.key, event.shiftKey ? 10 : 1));
    }
  });
  box.addEventListener("focusout", () => put(null));
}

const held = ({ page }, { window, doc }) => Boolean(page.reading.windows[window]?.holds(doc));

/** Where the keys begin: at what is selected, else at the first word piece. */
function first({ page, window: w }) {
  return { window: w.index, side: "start", doc: page.selection?.start ?? w.docStart };
}

/**
 * The place that an arrow key leads to: half-rows follow each other from the first window's starts
 * to the last one's ends.
 */
export function moved({ page }, { window, side, doc }, key, far) {
  const { windows } = page.reading;
  const within = (w, d) => Math.max(w.docStart, Math.min(w.docStop - 1, d));
  const by = { ArrowRight: far, ArrowLeft: -far, Home: -Infinity, End: Infinity }[key];
  if (by) return { window, side, doc: within(windows[window], doc + by) };
  const row = 2 * window + (side === "end" ? 1 : 0) + (key === "ArrowDown" ? 1 : -1);
  if (row < 0 || row >= 2 * windows.length) return { window, side, doc };
  const to = row >> 1;
  return { window: to, side: row & 1 ? "end" : "start", doc: within(windows[to], doc) };
}

function centreOf({ page, width }, { window, side, doc }) {
  const row = rowHeight(page.reading.windows.length);
  return {
    x: ((doc + 0.5) * width) / page.reading.tokens.length,
    y: (window + (side === "end" ? 0.75 : 0.25)) * row,
  };
}

function point(over, model, place) {
  over.querySelector(".cursor")?.remove();
  if (!model || !place) return;
  const { x, y } = centreOf(model, place);
  const row = rowHeight(model.page.reading.windows.length);
  const wide = Math.max(6, model.width / model.page.reading.tokens.length);
  over.append(svg("rect.cursor", [x - wide / 2, y - row / 4 - 1, wide, row / 2 + 2]));
}

// The strongest token within a finger's width of the pointer, in the half-row under it.
function hit(model, box, event) {
  const { windows, tokens } = model.page.reading;
  const row = rowHeight(windows.length);
  const y = event.clientY - box.top;
  const w = windows[Math.max(0, Math.min(windows.length - 1, Math.floor(y / row)))];
  const side = y - w.index * row < row / 2 ? "start" : "end";
  const x = (event.clientX - box.left) / (box.width / tokens.length);
  const near = Math.max(0.5, 6 / (box.width / tokens.length));
  const p = model.spread(w.index)[side];
  /** @type {number | null} */
  let best = null;
  for (let d = Math.floor(x - near); d < Math.ceil(x + near); d += 1) {
    if (w.holds(d) && (best === null || p[w.pos(d)] > p[w.pos(best)])) best = d;
  }
  return best === null ? null : { window: w.index, side, doc: best };
}
