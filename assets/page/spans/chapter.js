// Chapter 4, Spans: three named steps over one matrix, the ranked list beside them, the rest
// folded.

import { el, fold, isPress, press, put } from "../shared/dom.js";
import { short, sums } from "../shared/numbers.js";
import { Cells } from "./cells.js";
import { drawList, moveList } from "./list.js";
import { drawGrid, drawMass } from "./more.js";
import { settings } from "./settings.js";
import { drawPhone, movePhone } from "./phone.js";
import { clipped } from "../shared/prose.js";
import { clamp } from "../shared/scales.js";
import { turned } from "./text.js";
import { middle, tip } from "../shared/tip.js";
import { canZoom, cellAt, drawSquare, moveMarks, range } from "./square.js";
import { drawTent, moveTent, reveal, tentCellAt } from "./tent.js";

const views = new WeakMap();
/** The example whose highest end stands before its highest start. */
const UNFIT = "insulin";
const [FOLDED, LEGEND] = [182, 62];
const ASPECT = {
  square: "rows are starts, columns are ends; arrow keys move the cursor, with Shift ten cells",
  tent: "left and right move the span, up and down move its end, with Shift its start",
};

function shell(root, page) {
  const view = { root, step: page.narrow ? "tent" : "square", near: false };
  view.steps = el("div.spans-steps[role=group]", { "aria-label": "Pictures of this chapter" });
  view.tools = el("div.spans-tools");
  view.standing = el("p.spans-readout.tabular[role=status]");
  view.tip = tip({ class: "spans-tip", id: "spans-readout" });
  view.stage = el("div.spans-stage#spans-stage[aria-describedby=spans-readout]");
  view.legend = el("div.spans-legend");
  view.list = el("div.spans-list");
  view.main = el("div.spans-main", el("div.spans-picture", view.stage, view.legend), view.list);
  view.grid = el("div");
  view.settings = settings(
    (name, value) => view.page.input(name, value),
    (name) => view.page.waits(name),
  );
  const about = { id: "spans-grid", ontoggle: () => drawFold(view) };
  root.replaceChildren(
    el("div.spans-bar", view.steps, view.standing, view.tools),
    view.main,
    view.tip.node,
    el(
      "div.folds",
      fold("BERT's top-n grid and what it misses", view.grid, about),
      fold("settings", view.settings.root, { id: "spans-settings" }),
    ),
  );
  listen(view);
  views.set(root, view);
  return view;
}

/**
 * The picture as far as it holds for the drawn window: until Python has sent another window's
 * numbers, only its cells are shown.
 */
function fit(picture, index) {
  if (picture.window === index) return picture;
  return {
    ...picture,
    window: index,
    top: [],
    winner: null,
    apart: null,
    mass: null,
    grid: { ...picture.grid, on: false, missed: [], sentence: "" },
  };
}

export function draw(root, picture, page) {
  const view = views.get(root)?.stage.isConnected ? views.get(root) : shell(root, page);
  const index = page.selection?.window ?? picture.window;
  Object.assign(view, {
    sent: picture,
    page,
    picture: fit(picture, index),
    cells: new Cells(page.reading, picture, index),
  });
  view.cursor = null;
  askFor(view);
  tell(view);
  view.steps.replaceChildren(
    ...picture.steps.map(({ key, title, narrow }) =>
      el("button.plain", {
        id: `spans-step-${key}`,
        "aria-pressed": view.step === key,
        onclick: () => {
          view.step = key;
          draw(root, view.sent, page);
          document.getElementById(`spans-step-${key}`)?.focus();
        },
      }, (page.narrow && narrow) || title)
    ),
  );
  put(view.tools, tools(view));
  view.settings.show(picture.settings);
  paint(view);
  drawFold(view);
  drawnList(view);
}

function drawnList(view) {
  view.ranked = drawList(view.list, view.sent, view.page, () => drawnList(view));
  moveList(view.ranked, view.page);
}

/**
 * A selection in another window: its numbers come from Python, asked for once its selection has
 * been answered.
 */
function askFor(view) {
  const { page, sent } = view;
  const wanted = page.selection?.record ? `${page.reading.stamp} ${page.selection.window}` : null;
  if (!wanted || page.selection.window === sent.window || view.asked === wanted) {
    if (page.selection?.window === sent.window) view.asked = null;
    return;
  }
  view.asked = wanted;
  page.input("window", page.selection.window);
}

/** @returns {[number, number] | null} */
function chosenCell(view) {
  const s = view.page.selection;
  return s && s.window === view.cells.index
    ? [view.cells.pos(s.start), view.cells.pos(s.end)]
    : null;
}

export function select(root, picture, page) {
  const view = views.get(root);
  if (!view?.cells || page.selection?.window !== view.cells.index) {
    draw(root, picture, page);
    return;
  }
  askFor(view);
  const chosen = chosenCell(view);
  if (view.near && view.drawn?.hi && !inRange(view.drawn, chosen)) paint(view);
  else move(view);
  if (view.step === "tent" && !page.narrow && chosen) reveal(view.drawn, view.cells, chosen);
  moveList(view.ranked, page);
  tell(view);
}

const inRange = ({ lo, hi }, cell) => !cell || cell.every((k) => k >= lo && k < hi);

function tools(view) {
  const { page, picture, cells } = view;
  const { window, windows } = picture;
  const closer = () => zoom(view, !view.near);
  const button = (to, sign, label) =>
    el("button.plain", {
      "aria-label": label,
      disabled: to < 0 || to >= windows,
      onclick: () => page.input("window", to),
    }, sign);
  return [
    windows > 1 && [
      button(window - 1, "\u2039", "previous window"),
      el("span.tabular", `window ${window + 1} of ${windows}`),
      button(window + 1, "\u203a", "next window"),
    ],
    view.step === "square" && canZoom(cells) &&
    el("button.plain#spans-closer", { "aria-pressed": view.near, onclick: closer }, "closer"),
  ];
}

function zoom(view, on) {
  view.near = on;
  view.tools.querySelectorAll("#spans-closer").forEach((button) => press(button, on));
  paint(view);
}

function paint(view) {
  const { page, cells, picture, step } = view;
  const stacked = page.narrow || step !== "square" || view.root.clientWidth < 900 * page.scale;
  view.main.classList.toggle("stacked", stacked);
  const full = view.root.clientWidth;
  const height = room(view);
  const tent = step === "tent" && !page.narrow;
  const about = {
    tabindex: "0",
    role: "application",
    "aria-roledescription": "score matrix",
    "aria-label": `Score of every pair of start and end, window ${picture.window + 1}: ${
      ASPECT[step]
    }; Enter selects`,
  };
  for (const [name, value] of Object.entries(about)) {
    if (step === "square" || tent) view.stage.setAttribute(name, value);
    else view.stage.removeAttribute(name);
  }
  view.legend.replaceChildren();
  view.stage.classList.toggle("spans-tent", tent);
  if (step === "mass") {
    view.drawn = null;
    if (picture.mass) drawMass(view.stage, picture, page, full);
  } else if (step === "tent" && page.narrow) {
    view.drawn = drawPhone(view.stage, cells, picture, page, (i, j) => {
      view.cursor = [i, j];
      tell(view);
    });
    view.legend.replaceChildren(
      el(
        "span.key",
        "A stem is the best score of a span that starts there; tap it to see its ends.",
      ),
      thumbnail(view),
    );
  } else if (step === "tent") {
    view.drawn = drawTent(view.stage, cells, picture, page, { width: full, height });
    view.drawn.chosen = chosenCell(view);
    if (view.drawn.chosen) reveal(view.drawn, cells, view.drawn.chosen);
    view.drawn.paint();
    put(view.legend, legend(view), lineKey(view.drawn.line));
  } else {
    const at = view.cursor ?? chosenCell(view) ?? picture.winner ?? [cells.first, cells.first];
    view.drawn = drawSquare(view.stage, cells, picture, page, {
      range: range(cells, view.near, ...at),
      width: stacked ? full : full * 0.46,
      height,
    });
    put(view.legend, legend(view));
  }
  move(view);
}

/**
 * The height that is left on the screen below the folded Ask and the chapter's head, so that the
 * picture needs no scrolling.
 */
function room({ stage, page }) {
  const tabs = document.querySelector("[role=tablist]")?.getBoundingClientRect().bottom ?? 0;
  const head = stage.getBoundingClientRect().top - tabs;
  const left = window.innerHeight - (FOLDED + LEGEND) * page.scale - head;
  return page.narrow ? 420 : Math.max(300, Math.min(620, left)) * Math.max(1, page.scale * 0.85);
}

function move(view) {
  const { drawn, cells, picture, step, cursor } = view;
  if (!drawn) return;
  if (step === "square") moveMarks(drawn, picture, chosenCell(view), cursor);
  else if (view.page.narrow) movePhone(drawn, picture, chosenCell(view));
  else moveTent(drawn, cells, picture, chosenCell(view), cursor);
}

function legend({ cells, picture }) {
  const { low, high } = cells.range();
  return [
    el("span.key", el("span.ramp[aria-hidden=true]"), ` score ≤ ${short(low)} to ${short(high)}`),
    el("span.key", el("span.outlined[aria-hidden=true]"), ` ${picture.line.words}`),
    picture.line.note && el("span.key", picture.line.note),
  ];
}

/** Which way the line runs, where that is not how a text of two directions is set. */
function lineKey({ words, rtl }) {
  const against = turned(words, rtl);
  if (!rtl && !against) return null;
  const ways = rtl ? "from right to left" : "from left to right";
  const too = against &&
    [", ", el("bdi", `“${clipped(against, 24)}”`), " too, so that every span is one stretch"];
  return el("span.key", `the line runs ${ways}, word by word`, too);
}

/** The square as a thumbnail that opens a loupe: the square, close to the selection. */
function thumbnail(view) {
  const small = el("div.spans-thumb-cells");
  const open = el(
    "button.spans-thumb#spans-open-square",
    {
      "aria-label": "open the square near the selection",
      onclick: () => {
        view.step = "square";
        view.near = true;
        draw(view.root, view.sent, view.page);
        document.getElementById("spans-stage")?.focus();
      },
    },
    small,
    el("span", "the square"),
  );
  const { reading, colour } = view.page;
  const page = { reading, colour, narrow: true, scale: 1 };
  const size = { width: 140, height: 140, words: false };
  const whole = { lo: 0, hi: view.cells.n };
  drawSquare(small, view.cells, { ...view.picture, top: [] }, page, { range: whole, ...size });
  return open;
}

function drawFold(view) {
  if (view.grid.parentElement.open) drawGrid(view.grid, view.picture, view.page);
}

/**
 * One line about the cell under the cursor: both positions, both tokens, both logits, their sum,
 * why it is illegal.
 */
function tell(view) {
  const { cells, picture, cursor } = view;
  if (!cursor) {
    view.tip.hide();
    put(view.standing, fitting(view));
    return;
  }
  const [i, j] = cursor;
  const code = cells.code(i, j);
  const nothing = i === cells.clsAt && j === cells.clsAt;
  const side = cells.score(i, j) >= picture.line.at ? "above" : "below";
  const why = nothing ? "no answer" : code ? picture.words[code] : `legal, ${side} the line`;
  const { addends: [start, end], sign, total } = sums([cells.s[i], cells.e[j]]);
  const said = [
    el("span.role-start", `i = ${i} `),
    el("bdi.token", cells.tokens[i]),
    el("span.role-end", `  j = ${j} `),
    el("bdi.token", cells.tokens[j]),
    "   ",
    el("span.role-start", start),
    " + ",
    el("span.role-end", end),
    ` ${sign} `,
    el("b", total),
    "   ",
    el("span", { class: code && !nothing ? "reason" : "role-quiet" }, why),
  ];
  const mark = view.stage.querySelector(".mark-contrast");
  if (view.step === "tent" && view.page.narrow) view.standing.replaceChildren(...said);
  else view.tip.show(view.at ?? middle(mark ?? view.stage), ...said);
}

/** Whether the two maxima fit together; where they do, an example in which they do not. */
function fitting({ picture: { apart }, page }) {
  return apart && [
    el("span", apart.says),
    !apart.reason &&
    el("button.plain.spans-unfit", { onclick: () => page.open(UNFIT) }, "where they do not"),
  ];
}

function listen(view) {
  // a phone's starts are buttons, the mass is a bar: the others have a cell under the pointer
  const pads = () => view.drawn && !(view.step === "tent" && view.page.narrow);
  /** @returns {any} */
  const find = (event) => {
    if (!pads()) return null;
    return view.step === "square"
      ? cellAt(view.drawn, event)
      : tentCellAt(view.drawn, view.cells, event);
  };
  view.stage.addEventListener("pointermove", (event) => {
    view.at = { x: event.clientX, y: event.clientY };
    if (pads()) point(view, find(event));
  });
  view.stage.addEventListener("pointerleave", () => {
    if (view.cursor && pads() && document.activeElement !== view.stage) point(view, null);
  });
  view.stage.addEventListener("click", (event) => {
    const cell = find(event);
    if (cell) commit(view, cell);
  });
  let due = false;
  view.stage.addEventListener("scroll", () => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      view.drawn?.paint?.();
    });
  });
  view.stage.addEventListener("keydown", (event) => keyed(view, event));
}

function point(view, cell) {
  view.cursor = cell;
  move(view);
  tell(view);
}

function commit(view, [i, j]) {
  const { cells, page } = view;
  if (!cells.isSpan(i, j)) {
    point(view, [i, j]);
    return;
  }
  view.cursor = null;
  page.select({ window: cells.index, start: cells.doc(i), end: cells.doc(j) });
}

const MOVES = {
  square: { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] },
  tent: { ArrowLeft: [-1, -1], ArrowRight: [1, 1], ArrowUp: [0, 1], ArrowDown: [0, -1] },
  shifted: { ArrowLeft: [-10, -10], ArrowRight: [10, 10], ArrowUp: [-1, 0], ArrowDown: [1, 0] },
};

function keyed(view, event) {
  view.at = null; // the read-out follows the cursor from now on
  const { cells, drawn } = view;
  if (event.target !== view.stage || !drawn) return;
  const from = view.cursor ?? chosenCell(view) ?? view.picture.winner ?? [cells.first, cells.first];
  if (isPress(event)) {
    event.preventDefault();
    commit(view, from);
    return;
  }
  if (event.key === "Escape") {
    if (view.cursor) event.preventDefault();
    point(view, null);
    return;
  }
  if ((event.key === "+" || event.key === "-") && view.step === "square" && canZoom(cells)) {
    event.preventDefault();
    zoom(view, event.key === "+");
    return;
  }
  const square = view.step === "square";
  const by = (square ? MOVES.square : event.shiftKey ? MOVES.shifted : MOVES.tent)[event.key];
  if (!by) return;
  event.preventDefault();
  const far = square && event.shiftKey ? 10 : 1;
  const [low, high] = square ? [0, cells.n - 1] : [cells.first, cells.stop - 1];
  const [i, j] = [0, 1].map((k) => clamp(from[k] + by[k] * far, low, high));
  view.cursor = [i, square ? j : clamp(j, i, cells.lastEnd(i))];
  if (square && view.near && !inRange(drawn, view.cursor)) paint(view);
  else move(view);
  if (!square) reveal(drawn, cells, view.cursor);
  tell(view);
}
