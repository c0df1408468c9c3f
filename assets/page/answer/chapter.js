// Chapter 1: the paragraph with its marks, one logit line, and the four numbers of the selected
// span.

import { along } from "../shared/axes.js";
import { drawing, el, fold, legend, press, pressed, roving, svg } from "../shared/dom.js";
import { beside, fixed, rounded } from "../shared/numbers.js";
import { extent, max, scaleLinear, STEPS, ticks } from "../shared/scales.js";
import { placeLabels } from "../shared/rows.js";
import { apart, measurer } from "../shared/labels.js";
import { overlayReading, paragraph } from "../shared/prose.js";
import { same } from "../shared/store.js";
import { trust } from "./trust.js";

const views = new WeakMap();

export function draw(root, picture, page) {
  const before = views.get(root);
  /** @type {any} */
  const view = {
    text: paragraph(page, "Paragraph: arrow keys move by word, Shift extends, Enter selects"),
  };
  view.line = el("div.logit-line");
  view.four = el("dl.four");
  // one figure of sureness stands above; what the logits are as shares is asked for
  view.shares = before?.shares ?? fold("as probabilities", el("dl.shares"));
  view.shares.id = "answer-shares";
  // a lesson asks for numbers that stand in it
  if (document.body.classList.contains("lessons")) view.shares.setAttribute("open", "");
  views.set(root, view);
  const scroll = before?.scroller.scrollTop ?? 0;
  view.scroller = el("div.text-box", view.text.box);
  view.shown = place(page.reading, page.predicted);
  root.replaceChildren(
    marks(page),
    view.scroller,
    el("div.veil-part", view.line, view.four, view.shares),
    view.trust = trust(picture.trust, root.clientWidth, page, before?.trust),
  );
  line(view, picture, page);
  select(root, picture, page);
  // under the veil the place of the text would tell where the answer stands
  view.covered = document.body.matches(".veiled, .covering");
  if (view.covered) return;
  // the words are drawn anew for every number: they move only where the answer is another one
  if (before?.shown === view.shown && !before.covered) view.scroller.scrollTop = scroll;
  else reveal(view, before ? page.predicted : page.selection ?? page.predicted);
}

const place = (reading, at) => `${at?.start} ${at?.end} ${reading.context}`;

export function select(root, _picture, page) {
  const view = views.get(root);
  overlayReading(view.text, page, union(page.reading.gold));
  view.mark?.();
  const four = page.selection?.record?.details?.answer?.four;
  view.shares.toggleAttribute("hidden", !four); // else it would keep the last span's
  if (!four) return;
  const shown = four.map(({ name, value, over }) =>
    el("div", el("dt", name), el("dd.value", value), el("dd.over", over))
  );
  view.four.replaceChildren(...shown.slice(0, 2));
  view.shares.querySelector(".shares").replaceChildren(...shown.slice(2));
}

/** Several annotators' answers as one underline where they overlap. */
function union(ranges) {
  const out = [];
  for (const r of [...ranges].sort((a, b) => a.start - b.start)) {
    if (out.length && r.start <= out.at(-1).end) out.at(-1).end = Math.max(out.at(-1).end, r.end);
    else out.push({ ...r });
  }
  return out;
}

function marks(page) {
  const predicted = [svg("path.mark-predicted", "M2,8V13H24V8"), "predicted"];
  const gold = [svg("path.mark-gold", "M2,10H24M2,13H24"), "gold answer"];
  return legend([
    ...(page.answer === null ? [] : [predicted]),
    ...(page.reading.gold.length ? [gold] : []),
    [svg("rect.mark-selected", [2, 2, 22, 12, 2]), "selected"],
  ], { "aria-label": "Marks" });
}

function reveal({ scroller, text }, at) {
  if (!at || scroller.scrollHeight <= scroller.clientHeight) return;
  const word = text.list.find((w) => w.last >= at.start);
  if (word) scroller.scrollTop = word.span.offsetTop - scroller.clientHeight / 2;
}

// The logit line ----------------------------------------------------------------------------------

function geometry(picture, root) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const values = [
    ...picture.dots.map((d) => d.score),
    picture.null,
    ...(picture.abstains ? [picture.null - picture.threshold] : []),
  ];
  const [least, most] = extent(values);
  const pad = Math.max(0.5, (most - least) * 0.06);
  const [low, high] = [least - pad, most + pad];
  const width = root.clientWidth || 600;
  const x = scaleLinear([low, high], [rem * 1.5, width - rem * 1.5]);
  return { rem, width, x, low, high };
}

/**
 * A name for each dot and a place for it. A label that finds no room stays hidden until its dot is
 * selected: it then stands in a row that is kept free for it.
 */
function rows(picture, g, page) {
  const names = apart(picture.dots.map((dot) => dot.text), page.narrow ? 16 : 26);
  const width = measurer(1.05 * g.rem); // as page.css sets svg text.words
  const labels = picture.dots.map((dot, k) => ({
    x: g.x(dot.score),
    half: width(names[k]) / 2 + g.rem * 0.4,
    rank: dot.rank,
  }));
  const places = placeLabels(labels, {
    width: g.width,
    rule: picture.abstains ? g.x(picture.null - picture.threshold) : null,
    rows: 3,
    pad: g.rem * 0.6,
  });
  return picture.dots.map((dot, k) => ({ ...dot, label: names[k], ...places[k] }));
}

function line(view, picture, page) {
  if (!picture.dots.length) {
    view.line.replaceChildren(el("p.role-quiet", "No span is listed."));
    return;
  }
  const g = geometry(picture, view.line.parentElement.parentElement);
  const placed = rows(picture, g, page);
  const used = max(placed, (d) => d.row ?? 0) + 1;
  const top = placed.some((d) => d.row === null) ? used + 1 : used;
  const y = g.rem * (1.5 * top + 2.4);
  const height = y + g.rem * 5.2;
  const art = drawing(g.width, height, {
    class: "line",
    role: "group",
    "aria-label": "Listed spans on the score axis, best at the right",
  });
  const scale = ticks(g.x, { room: g.rem * 5, em: g.rem, least: 0.5 });
  art.append(
    svg("line.rule", [0, y, g.width, y]),
    ...along(scale, y, y + g.rem * 0.3, y + g.rem * 1.3),
  );
  art.append(
    svg("path.null-tick", `M${g.x(picture.null)},${y - g.rem * 0.6}V${y + g.rem * 0.6}`),
    svg(
      "text.quiet",
      [g.x(picture.null), y + g.rem * 2.6, anchor(g, g.x(picture.null))],
      `null score ${fixed(picture.null)}`,
    ),
  );
  const measure = svg("g.measure[aria-hidden=true]");
  art.append(measure);
  const dots = placed.slice().reverse().map((dot) => dotMark(dot, g, y, page, used));
  art.append(...dots.map((d) => d.node));
  const grey = (rule) =>
    dots.forEach(({ node, dot }) => node.classList.toggle("out", dot.score < rule));
  if (picture.abstains) art.append(thresholdRule(picture, g, y, page, grey));
  else if (page.answer === null) grey(Infinity);
  view.line.replaceChildren(art);
  roving(art, ".dot", { current: dots.length - 1 });
  view.mark = () => markLine(dots, measure, picture, g, y, page);
}

const anchor = (g, x) => (x < g.rem * 6 ? "start" : x > g.width - g.rem * 6 ? "end" : "middle");

function dotMark(dot, g, y, page, spare) {
  const x = g.x(dot.score);
  const base = y - g.rem * (0.9 + 1.5 * (dot.row ?? spare));
  const node = svg(
    "g[role=button][tabindex=-1]",
    {
      class: `dot${dot.row === null ? " unlabelled" : ""}`,
      "aria-label": `${dot.text}, rank ${dot.rank}, score ${fixed(dot.score)}`,
      ...pressed(() => page.select(dot)),
    },
    svg("line.leader", [x, y - g.rem * 0.35, dot.foot, base + g.rem * 0.15]),
    svg("circle.target", [x, y, g.rem * 0.8]),
    svg("circle.point", [x, y, g.rem * 0.32]),
    svg("text.words.label", [dot.at, base, "middle"], dot.label),
  );
  return { node, dot };
}

function markLine(dots, measure, picture, g, y, page) {
  const chosen = page.selection;
  let score = null;
  for (const { node, dot } of dots) {
    const on = same(dot, chosen);
    node.classList.toggle("on", on);
    node.classList.toggle("best", dot.rank === 1);
    press(node, on);
    if (on) score = dot.score;
  }
  measure.replaceChildren();
  if (score === null) return;
  const [a, b, at] = [g.x(picture.null), g.x(score), y + g.rem * 3.3];
  measure.append(
    svg("path.rule-ink", `M${a},${at - 4}V${at + 4}M${a},${at}H${b}M${b},${at - 4}V${at + 4}`),
    svg(
      "text",
      [(a + b) / 2, at + g.rem * 1.2, anchor(g, (a + b) / 2)],
      `${beside(score - picture.null)} “no answer”`,
    ),
  );
}

/** The value under the reader's hand: kept through redraws until it has been sent. */
/** @type {{value: number | null, timer: any}} */
const hand = { value: null, timer: 0 };

/**
 * The no-answer rule: a slider at null_score - threshold, moved by mouse or keys, sent when let go.
 */
function thresholdRule(picture, g, y, page, grey) {
  let value = hand.value ?? picture.threshold;
  const bar = svg("line.threshold-bar", [0, 0, 0, y]);
  const grip = svg("rect.threshold-grip", [
    -g.rem * 0.45,
    g.rem * 1.3,
    g.rem * 0.9,
    g.rem * 1.5,
    g.rem * 0.25,
  ]);
  const text = svg("text.threshold-text", { y: g.rem * 0.85 });
  const node = svg(
    "g.threshold[role=slider][tabindex=0]",
    {
      "aria-label": "no-answer threshold: it stands at null score minus threshold",
      "aria-valuemin": rounded(picture.null - g.high),
      "aria-valuemax": rounded(picture.null - g.low),
    },
    svg("rect.target", [-g.rem * 0.9, 0, g.rem * 1.8, y + g.rem]),
    bar,
    grip,
    text,
  );
  const put = () => {
    const x = g.x(picture.null - value);
    grey(picture.null - value);
    node.setAttribute("transform", `translate(${x})`);
    const limit = value ? `${beside(-value)} “no answer”` : "“no answer” itself";
    text.textContent = page.narrow ? `threshold ${beside(-value)}` : `threshold ${limit}`;
    // on a phone it takes half of the width
    const left = x > g.width - text.textContent.length * 0.46 * g.rem;
    text.setAttribute("x", (left ? -0.5 : 0.5) * g.rem);
    text.setAttribute("text-anchor", left ? "end" : "start");
    node.setAttribute("aria-valuenow", rounded(value));
    node.setAttribute("aria-valuetext", `${limit}, rule at ${fixed(picture.null - value)}`);
  };
  const clamp = (v) =>
    Math.round(Math.max(picture.null - g.high, Math.min(picture.null - g.low, v)) * 100) / 100;
  const send = () => {
    hand.value = value;
    clearTimeout(hand.timer);
    hand.timer = setTimeout(() => {
      hand.value = null;
      page.input("threshold", value);
    }, 200);
  };
  node.addEventListener("pointerdown", (event) => {
    node.setPointerCapture(event.pointerId);
    event.preventDefault();
    node.focus();
  });
  node.addEventListener("pointermove", (event) => {
    if (!node.hasPointerCapture(event.pointerId)) return;
    value = clamp(
      picture.null - g.x.invert(event.clientX - node.ownerSVGElement.getBoundingClientRect().left),
    );
    put();
  });
  node.addEventListener("pointerup", (event) => {
    node.releasePointerCapture(event.pointerId);
    send();
  });
  node.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    value = clamp(value - step);
    put();
    send();
  });
  put();
  return node;
}
