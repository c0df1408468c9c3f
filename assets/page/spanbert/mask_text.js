// The text of chapter 8 in pieces: hidden runs as one box each, by fate; words are chosen by mouse,
// by touch and by keyboard.

import { el } from "../shared/dom.js";
import { selectable } from "../shared/keys.js";
import { item } from "../shared/lines.js";

/**
 * {root, draw({pieces, runs, fates, random})}
 * @param {string} label
 * @param {{hide: (first: number, last: number) => void, show: (at: number) => void}} [events] none:
 *   a text to look at
 */
export function maskText(label, events) {
  const root = el("p.mask-text.reading-text", {
    dir: "auto",
    role: events ? "group" : null,
    "aria-label": events ? label : null,
  });
  const view = { root, pieces: null, events, words: [], nodes: [], gaps: [], pending: null };
  if (events) listen(view);
  return {
    root,
    draw(model) {
      if (
        view.pieces !== model.pieces && JSON.stringify(view.pieces) !== JSON.stringify(model.pieces)
      ) build(view, model.pieces);
      view.model = model;
      paint(view);
    },
  };
}

// Pieces of one word form a button; what stands between words is a node of its own, so that a run's
// box can cover it.
function build(view, pieces) {
  Object.assign(view, { pieces, words: [], nodes: [], gaps: [] });
  const parts = [];
  pieces.forEach(([gap, text, word], d) => {
    const before = view.words.at(-1);
    const joins = before !== undefined && pieces[d - 1][2] === word && gap === "";
    view.gaps.push(gap === "" ? null : el("span.gap", gap));
    if (view.gaps[d]) parts.push(view.gaps[d]);
    view.nodes.push(
      el(
        "span",
        { class: joins ? "piece joined" : "piece" },
        el("span.true", text),
        el("span.became"),
      ),
    );
    if (joins) before.last = d;
    else view.words.push({ first: d, last: d, node: el("span.word") });
    if (!joins) parts.push(view.words.at(-1).node);
    view.words.at(-1).node.append(view.nodes[d]);
  });
  if (view.events) {
    view.words.forEach(({ first, last, node }, k) => {
      node.setAttribute("role", "button");
      node.setAttribute("tabindex", k === 0 ? "0" : "-1");
      Object.assign(node.dataset, { first, last });
    });
  }
  view.root.replaceChildren(...parts);
}

function paint(view) {
  const { runs, fates, random } = view.model;
  const of = new Map();
  runs.forEach(([a, b], r) => {
    for (let d = a; d <= b; d += 1) of.set(d, r);
  });
  const kind = (d) => (of.has(d) ? fates[d] : "");
  view.nodes.forEach((node, d) => {
    const run = of.get(d);
    const same = (e) => run !== undefined && of.get(e) === run && kind(e) === kind(d);
    const classes = [
      "piece",
      node.classList.contains("joined") ? "joined" : "",
      kind(d) && `hid ${kind(d)}`,
      run !== undefined && !same(d - 1) ? "opens" : "",
      run !== undefined && !same(d + 1) ? "closes" : "",
    ];
    node.className = classes.filter(Boolean).join(" ");
    node.lastChild.textContent = kind(d) === "random" ? random[d] : "";
    const gap = view.gaps[d];
    if (gap) {
      gap.className = same(d - 1) && kind(d) ? `gap hid ${kind(d)}` : "gap";
    }
  });
  const { start, end } = view.pending ?? { start: 1, end: 0 };
  view.words.forEach(({ first, last, node }) => {
    let hidden = 0;
    for (let d = first; d <= last; d += 1) hidden += Number(of.has(d));
    node.classList.toggle("pending", last >= start && first <= end);
    if (view.events) {
      node.setAttribute(
        "aria-pressed",
        hidden === 0 ? "false" : hidden === last - first + 1 ? "true" : "mixed",
      );
    }
  });
}

/** What is chosen is hidden; one word that is hidden already is shown again, with its run. */
function listen(view) {
  const { root, events } = view;
  const isHidden = (d) => view.model.runs.some(([a, b]) => a <= d && b >= d);
  selectable(root, {
    rows: ["word"],
    now: () => ({ chosen: null, dir: getComputedStyle(root).direction }),
    commit: ({ start, end }) => {
      const one = view.words.some(({ first, last }) => first === start && last === end);
      if (one && isHidden(start)) events.show(start);
      else events.hide(start, end);
    },
    pend: (span) => {
      view.pending = span;
      paint(view);
    },
  });
  root.addEventListener("keydown", (event) => {
    const found = ["Delete", "Backspace"].includes(event.key) ? item(event.target) : null;
    if (!found) return;
    event.preventDefault();
    if (isHidden(found.first)) events.show(found.first);
  });
}
