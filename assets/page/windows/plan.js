// Step 1, windows: the tents with a zoom, the readout of one word piece, and the sandbox of
// max_seq_length and doc_stride.

import { el, focusIn, isPress, put, svg } from "../shared/dom.js";
import { key } from "./key.js";
import { clamp } from "../shared/scales.js";
import { wordAt } from "../shared/window.js";
import { marks, overview, readout, tents } from "./tents.js";

/** So many tents can be told from each other side by side. */
const SIDE_BY_SIDE = 30;

/**
 * The part shown first: the whole paragraph, or six windows round the selection when there are more
 * than can be told from each other.
 */
function firstRange(layout, page) {
  if (layout.starts.length <= (page.narrow ? 12 : SIDE_BY_SIDE)) return { from: 0, to: layout.n };
  const wide = Math.min(layout.n, layout.capacity + 5 * layout.step);
  const middle = page.selection?.start ?? 0;
  const from = clamp(Math.round(middle - wide / 2), 0, layout.n - wide);
  return { from, to: from + wide };
}

function zoom(held, layout, factor) {
  const { from, to } = held.range;
  const wide = clamp(Math.round((to - from) * factor), Math.min(12, layout.n), layout.n);
  const middle = held.at >= from && held.at < to ? held.at : (from + to) / 2;
  shift(held, layout, Math.round(middle - wide / 2), wide);
}

const wideOf = ({ range: { from, to } }) => to - from;

function shift(held, layout, from, wide = wideOf(held)) {
  const at = clamp(from, 0, layout.n - wide);
  held.range = { from: at, to: at + wide };
}

const partName = ({ range: { from, to } }) => `word pieces ${from}–${to - 1}`;

function zoomBar(view) {
  const { held, layout } = view;
  const whole = wideOf(held) >= layout.n;
  const change = (keep, act, sign, more = {}) =>
    el("button.plain", {
      dataset: { keep },
      onclick: () => {
        act();
        paintPicture(view);
      },
      ...more,
    }, sign);
  const slider = whole ? null : el("input.shown-part[type=range]", {
    dataset: { keep: "part" },
    "aria-label": "Part of the paragraph that is shown",
    min: 0,
    max: layout.n - wideOf(held),
    value: held.range.from,
    oninput: (event) => {
      shift(held, layout, Number(event.target.value));
      paintPicture(view, false);
    },
  });
  return el(
    "div.zoom",
    change("in", () => zoom(held, layout, 0.5), "+", { "aria-label": "closer" }),
    change("out", () => zoom(held, layout, 2), "−", { "aria-label": "farther", disabled: whole }),
    whole ? null : change("whole", () => shift(held, layout, 0, layout.n), "whole paragraph"),
    slider,
    whole ? null : el("span.role-quiet.tabular.part-name", partName(held)),
  );
}

function point(view, d, moved = true) {
  const { held, layout, drawn, page } = view;
  held.at = clamp(d, 0, layout.n - 1);
  if (moved && (held.at < held.range.from || held.at >= held.range.to)) {
    shift(held, layout, Math.round(held.at - wideOf(held) / 2));
    paintPicture(view);
    return;
  }
  const said = readout(layout, held.at, page);
  view.nodes.readout.replaceChildren(said);
  view.guide?.remove();
  if (held.at < drawn.from || held.at >= drawn.to) return;
  const x = drawn.x(held.at + 0.5);
  view.guide = svg("path.guide", `M${x},0V${drawn.ribbon.top + drawn.ribbon.height + 4}`);
  drawn.root.append(view.guide);
  view.nodes.pad.setAttribute("aria-valuenow", held.at);
  view.nodes.pad.setAttribute("aria-valuetext", said.textContent);
}

/** Select the word that a word piece belongs to. */
const choose = ({ page }, d) => page.select(wordAt(page.reading.tokens, d));

function keys(view, event) {
  const { held, layout } = view;
  const far = Math.max(1, Math.round(wideOf(held) / 10));
  const at = held.at ?? held.range.from;
  const to = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowUp: at + 1,
    ArrowDown: at - 1,
    PageUp: at + far,
    PageDown: at - far,
    Home: 0,
    End: layout.n - 1,
  }[event.key];
  if (to !== undefined) point(view, to);
  else if (isPress(event)) choose(view, at);
  else return;
  event.preventDefault();
}

function paintPicture(view, bar = true) {
  const { nodes, layout, held, page } = view;
  const focused = focusIn(document.body)?.dataset.keep;
  if (!layout.drawn) {
    nodes.pad.replaceChildren(
      el("p.role-quiet", "Too many windows to draw; the counts below are exact."),
    );
    [nodes.over, nodes.zoom, nodes.readout].forEach((n) => n.replaceChildren());
    return;
  }
  view.drawn = tents(
    layout,
    held.range,
    page,
    "Each window as a tent: its height is the context of a word piece on its poorer side; the " +
      "highest tent owns it.",
  );
  nodes.pad.replaceChildren(view.drawn.root);
  marks(view.drawn, page);
  const whole = wideOf(held) >= layout.n;
  if (whole) nodes.over.replaceChildren();
  else {
    const about = "The whole paragraph; the frame is the part shown below";
    const small = overview(layout, held.range, page, about);
    small.root.addEventListener("pointerdown", (event) => {
      shift(held, layout, small.toToken(event.offsetX) - Math.round(wideOf(held) / 2));
      paintPicture(view);
    });
    nodes.over.replaceChildren(small.root);
  }
  if (bar) nodes.zoom.replaceChildren(zoomBar(view));
  else nodes.zoom.querySelector(".part-name").textContent = partName(held);
  if (focused && bar) nodes.zoom.querySelector(`[data-keep="${focused}"]`)?.focus();
  if (held.at !== undefined) point(view, held.at, false);
  else nodes.readout.replaceChildren(el("div.readout.role-quiet", "Point at a tent."));
}

function legend(layout) {
  return [
    key("tent-key", "height: context on the poorer side"),
    key("owner-key", "the owner"),
    key("overlap-key", "stronger: read by more windows"),
    layout.lost.length > 0 &&
    key("lost-key", "starts here, may end outside its owner: out of reach"),
  ];
}

function slider(view, name, words) {
  const input = el("input[type=range][step=1]", { id: `windows-${name.replaceAll("_", "-")}` });
  const shown = el("span.tabular");
  input.addEventListener("input", () => {
    shown.textContent = input.value;
    bounds(view);
    clearTimeout(view.timer);
    const wanted = asked(view); // a drawing meanwhile sets the sliders back
    view.timer = setTimeout(() => view.page.input("tried", wanted), 60);
  });
  return {
    input,
    shown,
    node: el("label.knob", el("span.knob-name", name, " ", shown), input, el("span.help", words)),
  };
}

const asked = ({ nodes }) => ({
  max_seq_length: Number(nodes.seq.input.value),
  doc_stride: Number(nodes.step.input.value),
});

/** The step cannot exceed the capacity that the length leaves. */
function bounds({ nodes, picture }) {
  nodes.step.input.min = 1;
  nodes.step.input.max = Math.max(1, Number(nodes.seq.input.value) - picture.limits.fixed);
  nodes.step.shown.textContent = nodes.step.input.value;
}

function build(stage, view) {
  const nodes = {
    over: el("div"),
    zoom: el("div"),
    readout: el("div[aria-live=off]"),
    legend: el("div.w-legend"),
    counts: el("dl.counts"),
    said: el("div.said"),
    offer: el("div"),
    pad: el("div.pad[tabindex=0][role=slider]", {
      "aria-label": "Word piece: arrow keys move, Enter selects the word",
      "aria-valuemin": 0,
      "aria-valuemax": view.layout.n - 1,
      "aria-valuenow": 0,
    }),
  };
  nodes.seq = slider(view, "max_seq_length", view.picture.help.max_seq_length);
  nodes.step = slider(view, "doc_stride", view.picture.help.doc_stride);
  nodes.rerun = el("button.rerun#windows-rerun", {
    onclick: () => view.page.input("rerun", asked(view)),
  }, "re-run with these windows");
  const under = ({ clientX }) =>
    view.drawn.toToken(clientX - nodes.pad.getBoundingClientRect().left);
  nodes.pad.addEventListener("pointermove", (event) => point(view, under(event), false));
  nodes.pad.addEventListener("click", (event) => choose(view, under(event)));
  nodes.pad.addEventListener("keydown", (event) => keys(view, event));
  stage.replaceChildren(
    nodes.pad,
    el("div.read-row", nodes.readout, nodes.zoom),
    nodes.over,
    nodes.legend,
    el(
      "div.sandbox",
      el("div.knobs", nodes.seq.node, nodes.step.node),
      el("div.outcome", nodes.counts, nodes.rerun),
    ),
    nodes.offer,
    nodes.said,
  );
  return nodes;
}

const offer = (page, { max_seq_length, doc_stride, label }, what) =>
  el(
    "button.plain.offer",
    { onclick: () => page.input(what, { max_seq_length, doc_stride }) },
    label,
  );

/** What is kept, `held`, outlives the nodes, which the other steps replace. */
export function draw(stage, picture, page, held) {
  const shown = picture.tried ?? picture.now;
  const { layout } = shown;
  const view = Object.assign(held, { held, picture, page, layout });
  const { n, capacity, step } = layout;
  if (held.n !== n || held.capacity !== capacity || held.step !== step) {
    held.range = firstRange(layout, page);
    if (held.n !== n) delete held.at;
    Object.assign(held, { n, capacity, step });
  }
  if (!stage.contains(view.nodes?.pad ?? null)) view.nodes = build(stage, view);
  const { nodes } = view;
  nodes.pad.setAttribute("aria-valuemax", n - 1);
  Object.assign(nodes.seq.input, { min: picture.limits.min_seq, max: picture.limits.max_seq });
  if (document.activeElement !== nodes.seq.input) nodes.seq.input.value = shown.max_seq_length;
  bounds(view);
  if (document.activeElement !== nodes.step.input) nodes.step.input.value = shown.doc_stride;
  nodes.seq.shown.textContent = nodes.seq.input.value;
  nodes.step.shown.textContent = nodes.step.input.value;
  const count = ({ name, value, tone }) =>
    el("div", { class: `count ${tone}` }, el("dt", name), el("dd", value));
  put(nodes.counts, shown.counts.map(count));
  put(nodes.said, shown.said.map((s) => el("p", s)));
  nodes.rerun.disabled = shown.same;
  nodes.rerun.classList.toggle("filled", !shown.same);
  put(nodes.legend, legend(layout));
  const { small, usual } = picture.limits;
  const back = { ...picture.now, label: "back to the windows that were read" };
  put(
    nodes.offer,
    shown.same
      ? [small && offer(page, small, "tried"), usual && offer(page, usual, "rerun")]
      : offer(page, back, "tried"),
  );
  paintPicture(view);
}

export function select(_stage, _picture, page, { drawn, layout }) {
  if (drawn && layout.drawn) marks(drawn, page);
}
