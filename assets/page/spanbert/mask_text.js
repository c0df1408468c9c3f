// The text of chapter 8 in pieces: hidden runs as one box each, by fate; words are chosen by mouse,
// by touch and by keyboard.

import { el, isPress } from "../shared/dom.js";

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
  const view = { root, pieces: null, events, words: [], nodes: [], from: null, to: null, focus: 0 };
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
  Object.assign(view, { pieces, words: [], nodes: [], gaps: [], from: null, to: null, focus: 0 });
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
    view.words.forEach(({ node }, k) => {
      node.setAttribute("role", "button");
      node.setAttribute("tabindex", k === 0 ? "0" : "-1");
      node.dataset.word = k;
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
  const [low, high] = view.from === null
    ? [1, 0]
    : [Math.min(view.from, view.to), Math.max(view.from, view.to)];
  view.words.forEach(({ first, last, node }, k) => {
    let hidden = 0;
    for (let d = first; d <= last; d += 1) hidden += Number(of.has(d));
    node.classList.toggle("pending", k >= low && k <= high);
    if (view.events) {
      node.setAttribute(
        "aria-pressed",
        hidden === 0 ? "false" : hidden === last - first + 1 ? "true" : "mixed",
      );
    }
  });
}

// Choosing words ----------------------------------------------------------------------------------

function commit(view) {
  const { from, to } = view;
  if (from === null) return;
  Object.assign(view, { from: null, to: null });
  const [a, b] = [view.words[Math.min(from, to)], view.words[Math.max(from, to)]];
  const run = view.model.runs.find(([s, e]) => s <= a.first && e >= a.first);
  if (from === to && run) view.events.show(a.first);
  else view.events.hide(a.first, b.last);
  paint(view);
}

function move(view, k, extend) {
  const to = Math.max(0, Math.min(view.words.length - 1, k));
  view.words[view.focus].node.setAttribute("tabindex", "-1");
  if (extend) {
    if (view.from === null) view.from = view.focus;
    view.to = to;
  } else view.from = view.to = null;
  view.focus = to;
  view.words[to].node.setAttribute("tabindex", "0");
  view.words[to].node.focus();
  paint(view);
}

function listen(view) {
  const wordAt = (target) => {
    const node = target.closest?.("[data-word]");
    return node && view.root.contains(node) ? Number(node.dataset.word) : null;
  };
  let mouse = false;
  view.root.addEventListener("pointerdown", (event) => {
    const k = wordAt(event.target);
    mouse = event.pointerType !== "touch" && event.button === 0 && k !== null;
    if (!mouse) return;
    move(view, k, false);
    view.from = view.to = k;
    paint(view);
    event.preventDefault();
  });
  view.root.addEventListener("pointerover", (event) => {
    const k = wordAt(event.target);
    if (!mouse || view.from === null || k === null || k === view.to) return;
    view.to = k;
    paint(view);
  });
  document.addEventListener("pointerup", () => {
    if (!mouse) return;
    mouse = false;
    commit(view);
    held = true;
  });
  let held = false; // the click that follows a mouse button's release was answered already
  view.root.addEventListener("click", (event) => {
    const k = wordAt(event.target);
    if (held || k === null) {
      held = false;
      return;
    }
    move(view, k, false);
    view.from = view.to = k;
    commit(view);
  });
  view.root.addEventListener("keydown", (event) => {
    const k = wordAt(event.target);
    if (k === null) return;
    view.focus = k;
    const ahead = getComputedStyle(event.target).direction === "rtl" ? -1 : 1;
    const step = { ArrowRight: ahead, ArrowLeft: -ahead }[event.key];
    if (step) move(view, k + step, event.shiftKey);
    else if (event.key === "Home" || event.key === "End") {
      move(view, event.key === "Home" ? 0 : view.words.length - 1, event.shiftKey);
    } else if (isPress(event)) {
      if (view.from === null) view.from = view.to = k;
      commit(view);
    } else if (event.key === "Escape" && view.from !== null) move(view, k, false);
    else if (event.key === "Delete" || event.key === "Backspace") {
      if (view.model.runs.some(([s, e]) => s <= view.words[k].first && e >= view.words[k].first)) {
        view.events.show(view.words[k].first);
      }
    } else return;
    event.preventDefault();
  });
}
