// Step 1: the exact plane, the same paragraph under another question, and a bias by hand.

import { form, textBox } from "../shared/controls.js";
import { el, focusIn, fold, press, put, sign, svg, table } from "../shared/dom.js";
import { fixed, rounded } from "../shared/numbers.js";
import { floats, ints } from "../shared/pack.js";
import { typed } from "./bench.js";
import { makeBias } from "./bias.js";
import { diagonal, diagonals, dots, frame, labels, textAt } from "./plane.js";

const DURATION = 1100;
const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export function makePlaneStep(on) {
  /** @type {any} */
  const view = { t: 1, slide: null, shift: { start: 0, end: 0 }, running: 0 };
  view.holder = el("div.scores-plane-box");
  view.readout = el("p.scores-readout.tabular[role=status][aria-live=polite]");
  view.question = textBox("input#scores-question");
  view.form = form(
    "form.scores-form",
    () => {
      if (typed(view.question, "question")) on.input("other", { question: view.question.value });
    },
    el("label[for=scores-question]", "Ask the same paragraph:"),
    view.offers = el("div.scores-offers"),
    el("div.scores-line", view.question, el("button.scores-button#scores-ask[type=submit]", "Ask")),
  );
  const go = (t) => () => {
    stop(view);
    view.t = t;
    paint(view);
  };
  view.ends = el(
    "div.scores-ends[role=group]",
    { "aria-label": "Where the tokens are drawn" },
    el("button.plain#scores-before", { onclick: go(0) }, "before"),
    el("button.plain#scores-after", { onclick: go(1) }, "after"),
    el("button.plain#scores-play", { onclick: () => play(view) }, "slide again"),
    el("button.plain#scores-drop", { onclick: () => on.input("drop", null) }, "take away"),
  );
  view.moves = el("div");
  view.moved = el("div.scores-moved", view.ends, view.moves);
  view.bias = makeBias((shift) => {
    view.shift = shift;
    move(view);
  });
  view.key = el("p.scores-key");
  view.on = {
    choose: (dot, extend) => {
      if (dot.doc !== null) on.select(dot.doc, extend);
    },
    tell: (dot) => tell(view, dot),
  };
  const root = el(
    "div.scores-plane-step",
    el("div", view.holder, view.readout, view.key),
    el("div.scores-side", view.form, view.moved, view.bias.root),
  );
  return {
    root,
    update(model) {
      const { slide } = model.picture;
      const news = slide &&
        (view.slide?.question !== slide.question || view.text !== model.page.reading.context);
      view.model = model;
      if (view.text !== model.page.reading.context) view.question.value = "";
      view.text = model.page.reading.context;
      view.moved.hidden = !slide;
      if (slide !== view.slide) {
        view.slide = slide;
        view.before = placeOf(model.chosen);
        view.from = slide &&
          { docs: ints(slide.docs), before: floats(slide.before), after: floats(slide.after) };
        put(view.moves, slide && fold("the largest moves", table(slide.table, model.page)));
      }
      offer(view, on, model.picture.offers, slide);
      root.classList.toggle("stacked", model.page.narrow || model.width < 860 * model.page.scale);
      view.bias.update(model);
      if (news) play(view);
      else paint(view);
    },
  };
}

/** Ready questions of the same paragraph; the one that was asked is pressed. */
function offer(view, on, offers, slide) {
  const known = [...view.offers.children].map((button) => button.textContent).join("\n");
  if (known !== offers.join("\n")) {
    view.offers.replaceChildren(
      ...offers.map((question) =>
        el("button.scores-button.scores-offer[dir=auto]", {
          onclick: () => on.input("other", { question }),
        }, question)
      ),
    );
  }
  for (const button of view.offers.children) {
    press(button, button.textContent === slide?.question);
  }
}

function stop(view) {
  cancelAnimationFrame(view.running);
  view.running = 0;
}

function play(view) {
  stop(view);
  view.t = calm() ? 1 : 0;
  paint(view);
  if (calm()) return;
  let began = null;
  const step = (now) => {
    began ??= now;
    const k = Math.min(1, (now - began) / DURATION);
    view.t = k < 0.5 ? 2 * k * k : 1 - 2 * (1 - k) ** 2;
    if (k < 1) place(view);
    else paint(view); // "after" is pressed now
    view.running = k < 1 ? requestAnimationFrame(step) : 0;
  };
  view.running = requestAnimationFrame(step);
}

/** Where a dot's token stands: in this window, or in the one that owns it. */
function standsAt({ model: { w, page } }, { pos, doc }) {
  if (pos < w.tokens.length) return `position ${pos}`;
  const own = page.reading.windows[page.reading.owner[doc]];
  return `position ${own.pos(doc)} of window ${own.index + 1}`;
}

/**
 * Every dot as {pos, doc, text, s, e, from, to}; while tokens slide only those the window owns, and
 * no answer.
 */
function points(view) {
  const { w, doc } = view.model;
  if (view.slide) {
    const { docs, before, after } = view.from;
    const [a, b, c, d] = view.slide.cls;
    const list = Array.from(docs, (at, k) => ({
      // a piece of another window stands behind all positions of this one
      pos: w.holds(at) ? w.pos(at) : w.tokens.length + at,
      doc: at,
      from: before.subarray(2 * k, 2 * k + 2),
      to: after.subarray(2 * k, 2 * k + 2),
    }));
    return [{ pos: w.clsAt, doc: null, from: [a, b], to: [c, d] }, ...list];
  }
  return w.tokens.map((_, pos) => {
    const at = [w.start[pos], w.end[pos]];
    return { pos, doc: doc(pos), from: at, to: at };
  });
}

function paint(view) {
  const { page, picture, w, width } = view.model;
  const stacked = view.holder.closest(".stacked");
  const room = view.holder.clientWidth || (stacked ? width : width * 0.58);
  const full = Math.max(240, Math.floor(room));
  // below the head of the page, without scrolling
  const top = view.holder.getBoundingClientRect().top + window.scrollY;
  const screen = Math.max(300, full / 3, window.innerHeight - (top || 220) - 78 * page.scale);
  const height = Math.round(Math.min(560 * page.scale, screen, Math.max(300, full * 0.82)));
  view.plane = frame({
    width: full,
    height,
    range: picture.plane.range,
    scale: page.scale,
    id: "scores-exact",
    label: `Every token of window ${w.index + 1} at its start logit and end logit`,
  });
  const { layer, x, y } = view.plane;
  view.list = points(view);
  const stand = view.list.flatMap(({ from, to }) => [from, to])
    .map(([s, e]) => ({ x: x(s), y: y(e) }));
  layer.append(diagonals(view.plane, picture.plane.null, stand));
  view.body = svg("g");
  layer.append(view.body);
  const focused = focusIn(view.holder)?.dataset.pos ?? null;
  view.holder.replaceChildren(view.plane.root);
  place(view);
  if (focused) {
    view.body.querySelector(`.scores-dot[data-pos="${focused}"]`)?.focus({ preventScroll: true });
  }
  ["before", "after"].forEach((name, t) =>
    press(view.ends.querySelector(`#scores-${name}`), view.t === t)
  );
  key(view);
  tell(view, null);
}

/** Put every dot where it stands at view.t: 0 before, 1 after. */
function place(view) {
  const { picture, w, chosen } = view.model;
  const { x, y } = view.plane;
  const named = new Set(picture.plane.named);
  const posOf = new Map(view.list.map(({ doc, pos }) => [doc, pos]));
  if (view.slide) view.slide.largest.forEach((doc) => named.add(posOf.get(doc)));
  const winner = view.slide?.winner?.map((doc) => posOf.get(doc)) ?? null;
  const there = arrived(view);
  const ringed = there ? winner && { start: winner[0], end: winner[1] } : chosen;
  const best = view.slide && view.t > 0.5 ? winner : picture.plane.best;
  const list = view.list.map((p) => {
    const [s, e] = [0, 1].map((k) => p.from[k] + (p.to[k] - p.from[k]) * view.t);
    const cls = p.pos === w.clsAt;
    const text = cls ? `no answer ${w.tokens[p.pos]}` : textAt(view.model, p.pos, p.doc);
    // its two logits add up to the null score as printed
    const digits = cls && !view.slide ? picture.plane.nullDecimals : undefined;
    return {
      ...p,
      s,
      e,
      x: x(s),
      y: y(e),
      text,
      kind: cls ? "cls" : p.doc === null ? "outside" : "context",
      start: ringed?.start === p.pos,
      end: ringed?.end === p.pos,
      name: best?.includes(p.pos) ? "best" : "",
      at: standsAt(view, p),
      label: `${text}, start ${fixed(s, digits)}, end ${fixed(e, digits)}, ${standsAt(view, p)}`,
    };
  });
  view.body.replaceChildren();
  if (view.slide) view.body.append(arrows(view));
  const cls = list.find((d) => d.kind === "cls");
  const at = diagonal(view.plane, cls.s + cls.e);
  if (at) view.body.append(svg("line.null-diagonal", at));
  const order = [ringed?.start, ringed?.end, ...(best ?? []), ...named];
  const by = new Map(list.map((d) => [d.pos, d]));
  const unique = [...new Set(order)].map((pos) => by.get(pos)).filter(Boolean);
  const current = list.findIndex((d) => d.pos === (chosen?.start ?? w.contextAt));
  view.body.append(
    dots(list, view.on, current, view.plane.scale),
    labels(
      view.plane,
      unique.map((d) => ({
        ...d,
        gap: d.start || d.end || d.kind === "cls" ? 12 : 8,
        name: `${d.name} ${d.start || d.end ? "chosen" : ""}`,
      })),
      list,
    ),
  );
  move(view);
}

const placeOf = (/** @type {any} */ chosen) => chosen && `${chosen.start} ${chosen.end}`;

/** Whether the rings are round the other question's answer: the words have moved, and nothing else was selected. */
const arrived = (view) =>
  Boolean(view.slide) && view.t > 0.5 && placeOf(view.model.chosen) === view.before;

function arrows(view) {
  const { x, y, scale } = view.plane;
  const far = new Set(view.slide.largest);
  const group = svg("g.scores-arrows[aria-hidden=true]");
  for (const p of view.list) {
    const [ax, ay, bx, by] = [x(p.from[0]), y(p.from[1]), x(p.to[0]), y(p.to[1])];
    const strong = p.doc === null || far.has(p.doc);
    group.append(svg("line", [ax, ay, bx, by], { class: strong ? "arrow" : "arrow faint" }));
    const length = Math.hypot(bx - ax, by - ay);
    if (strong && length > 10) {
      const [ux, uy] = [bx - ax, by - ay].map((far) => (scale * far) / length);
      const side = [-8 * ux - 3.5 * uy, -8 * uy + 3.5 * ux];
      group.append(svg("path.arrow-head", `M${bx},${by}l${side}l${7 * uy},${-7 * ux}Z`));
    }
  }
  return group;
}

/** A bias moves every dot by the same amount, the axes stay. */
function move(view) {
  if (!view.plane) return;
  const { x, y } = view.plane;
  const { start, end } = view.shift;
  view.body.setAttribute("transform", `translate(${x(start) - x(0)} ${y(end) - y(0)})`);
}

function tell(view, dot) {
  if (!dot) {
    view.readout.textContent = "Point at a dot.";
    return;
  }
  const [s, e] = [dot.s + view.shift.start, dot.e + view.shift.end];
  view.readout.replaceChildren(
    el("bdi.read-token", dot.text),
    ` at ${dot.at}: `,
    el("span.role-start", `start_logit ${fixed(s, 3)}`),
    ", ",
    el("span.role-end", `end_logit ${fixed(e, 3)}`),
    `, together ${fixed(rounded(s, 3) + rounded(e, 3), 3)}`,
  );
}

function key(view) {
  const { plane } = view.model.picture;
  const size = [22, 14];
  const whose = arrived(view) ? "answer’s " : "";
  const ring = (side) => sign(size, svg(`circle.ring.of-${side}`, [11, 7, 5.5]), whose + side);
  const level = `as high as no answer${view.slide ? "" : ` (${plane.nullPrinted})`}`;
  put(
    view.key,
    sign(size, svg("line.null-diagonal", [2, 2, 20, 12]), level),
    ring("start"),
    ring("end"),
    !view.slide && sign(size, svg("circle.scores-outside", [11, 7, 3]), "question and separators"),
  );
}
