// Chapter 9, Why: three named steps. What needs the reader is asked for when it is looked at, one
// request at a time, and kept.

import { el, stepBar } from "../shared/dom.js";
import { needsPage } from "../shared/needs_page.js";
import { ints } from "../shared/pack.js";
import { kept } from "../shared/views.js";
import { visit } from "../shared/visit.js";
import * as looked from "./attention.js";
import * as rested from "./attribution.js";
import * as trusted from "./trust.js";
import { words } from "./words.js";

const STEPS = { looked, rested, trust: trusted };
const SEATS = { what: "seats", span: true };
const SLOW = new Set(["attribution", "question", "random", "stood", "curves"]);
// milliseconds after which an answer counts as lost; slow ones tell how far they are, and Cancel ends them
const PATIENCE = 120_000;
const LONG_PATIENCE = 1_800_000;

const { draw, select } = kept({ make: shell, paint });

export { draw, select };

/** What is known of a reading before anything was asked for. */
const nothing = () => ({ held: {}, found: new Map(), wanted: new Set(), out: null, choice: null });

function shell(root) {
  /** @type {any} */
  const view = {
    step: "looked",
    queue: [],
    ...nothing(),
    stage: el("div.step-stage"),
    says: el("p.step-says[hidden]"),
  };
  const steps = Object.keys(STEPS).map((key) => ({ key, title: words[`step_${key}`] }));
  view.steps = stepBar("why", steps, "Steps of this chapter", (key) => {
    view.step = key;
    paint(view);
  });
  view.bodies = Object.fromEntries(
    Object.keys(STEPS).map((key) => [key, view.stage.appendChild(el("div.step-body[hidden]"))]),
  );
  root.replaceChildren(
    el("div.why", el("div.why-bar", view.steps.root, compare(view)), view.says, view.stage),
  );
  view.paint = () => paint(view);
  return view;
}

// The two ways to ask "why this and not that": another span is a target of step 2, another text or
// reader is chapter 2's bench.
function compare(view) {
  const link = (id, text, onclick) => el("button.plain", { id, onclick }, text);
  return el(
    "p.compare.role-quiet",
    "Why not",
    link("why-compare-span", "another span?", () => {
      view.step = "rested";
      view.choice = { ...view.choice, kind: "span_minus_other" };
      view.page.input("choice", view.choice);
      paint(view);
      view.bodies.rested.querySelector("#why-other")?.focus();
    }),
    link(
      "why-compare-text",
      "another question, text or reader?",
      () => visit("scores", "layers", "scores-bench-question"),
    ),
  );
}

// A reply belongs to the request whose key it carries; an older one is kept as well, it may be
// looked at again.
function heard(view) {
  const { picture, page } = view;
  view.heard = picture;
  if (view.stamp !== page.reading.stamp) {
    Object.assign(view, { stamp: page.reading.stamp, ...nothing() });
  }
  if (picture.target) {
    const { target: { kind, other }, method, baseline } = picture;
    view.choice ??= { kind, other, method, baseline };
  }
  const { reply } = picture;
  if (!reply) return;
  view.found.set(
    reply.key,
    reply.error ? { error: reply.error, cancelled: reply.cancelled } : { data: reply.data },
  );
  if (view.out?.key === reply.key) settled(view);
}

function settled(view) {
  clearTimeout(view.out?.timer);
  view.out = null;
}

function paint(view) {
  const { picture, page, step } = view;
  if (view.heard !== picture) heard(view);
  if (view.stamp !== page.reading.stamp) return; // a timer of the reading before
  view.steps.show(step);
  Object.entries(view.bodies).forEach(([key, body]) => {
    body.hidden = key !== step;
  });
  view.says.hidden = Boolean(picture.target);
  view.says.textContent = picture.target ? "" : words.nothing;
  const chosen = page.selection;
  if (!picture.target || !chosen) {
    view.stage.hidden = true;
    return;
  }
  view.queue = [];
  page.notice(picture.notices[step]);
  const w = page.reading.windows[chosen.window];
  const ready = picture.window === w.index;
  const lacking = ready ? null : notSaved(view);
  view.stage.hidden = Boolean(lacking);
  if (lacking) {
    view.says.hidden = false;
    view.says.replaceChildren(...needsPage(lacking));
    return;
  }
  if (view.seatsOf !== picture.seats) {
    const { of, question, ...more } = picture.seats;
    view.seatsOf = picture.seats;
    view.seats = { ...more, of: ints(of) };
    view.seats.question = { ...question, offsets: ints(question.offsets) };
  }
  if (ready) {
    view.held[step] ??= {};
    STEPS[step].draw(view.bodies[step], model(view, w, chosen), view.held[step]);
  }
  if (!view.queue.length && !view.out) refresh(view, chosen);
  pump(view);
}

// Seats, notice and tables travel with every reply: when nothing else is missing for a new
// selection, ask for them alone.
function refresh(view, chosen) {
  const { target, ...picture } = view.picture;
  if (
    picture.window === chosen.window && target.start === chosen.start && target.end === chosen.end
  ) return;
  if (notSaved(view)) return; // asked again, it would be refused again
  view.found.delete(keyOf(view, SEATS));
  need(view, SEATS);
}

/** On a saved page: why it has nothing of the selected span; null where it has. */
function notSaved(view) {
  return view.page.reading.saved ? view.found.get(keyOf(view, SEATS))?.error ?? null : null;
}

function model(view, w, chosen) {
  const { picture, page, seats, choice } = view;
  return {
    page,
    picture,
    seats,
    w,
    choice,
    chosen,
    width: view.root.clientWidth,
    start: w.pos(chosen.start),
    end: w.pos(chosen.end),
    need: (request) => need(view, request),
    has: (request) => Boolean(view.found.get(keyOf(view, request))?.data),
    repaint: () => paint(view),
    want: (request) => {
      view.wanted.add(keyOf(view, request));
      view.found.delete(keyOf(view, request));
      paint(view);
    },
    // a saved page has the answer or says at once that it has not
    wanted: (request) => Boolean(page.reading.saved) || view.wanted.has(keyOf(view, request)),
    again: (request) => {
      view.found.delete(keyOf(view, request));
      paint(view);
    },
    choose: (change) => {
      view.choice = { ...view.choice, ...change };
      page.input("choice", view.choice);
      paint(view);
    },
  };
}

/**
 * What a request depends on; `method` overrides the chosen one.
 * @param {any} view
 * @param {{what: string, span?: boolean, target?: any, method?: string, more?: any}} request
 */
function keyOf(view, { what, span, target, method, more }) {
  const { choice, page: { selection: chosen } } = view;
  const parts = [view.stamp, what, chosen.window];
  if (span || target) parts.push(chosen.start, chosen.end);
  if (target) {
    parts.push(
      choice.kind,
      ...(choice.kind === "span_minus_other" ? choice.other ?? ["best"] : []),
    );
  }
  if (method) parts.push(method, method === "integrated_gradients" ? choice.baseline : "");
  return [...parts, ...Object.values(more ?? {})].join(" ");
}

/**
 * {data}, {error}, or null when it has been asked for and is not there yet.
 * @param {any} view
 * @param {{what: string, span?: boolean, target?: any, method?: string, more?: any}} request
 */
function need(view, request) {
  const key = keyOf(view, request);
  if (view.found.has(key)) return view.found.get(key);
  if (!view.queue.some((one) => one.key === key)) view.queue.push({ ...request, key });
  return null;
}

function pump(view) {
  const { out, queue, page } = view;
  if (!queue.length || !page.selection?.record) return;
  // a slow answer that nobody waits for gives way
  if (out && (queue.some((one) => one.key === out.key) || !SLOW.has(out.what))) return;
  if (out) settled(view);
  const { key, what, method, more } = queue[0];
  const chosen = page.selection;
  view.out = {
    key,
    what,
    timer: setTimeout(() => {
      settled(view);
      paint(view);
    }, SLOW.has(what) ? LONG_PATIENCE : PATIENCE),
  };
  page.input("ask", {
    key,
    what,
    span: [chosen.window, chosen.start, chosen.end],
    choice: { ...view.choice, method: method ?? view.choice.method },
    ...more,
  });
}
