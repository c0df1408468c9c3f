// Chapter 2, Scores: the same paragraph under two questions, the exact plane, one logit dimension by
// dimension, the head on every layer. The shell stands; what changed is drawn.

import { makeBench } from "./bench.js";
import { makeDimensions } from "./dims.js";
import { makeLayers } from "./layers.js";
import { makePlaneStep } from "./step.js";
import { el, stepBar } from "../shared/dom.js";
import { kept } from "../shared/views.js";
import { wordAt } from "../shared/window.js";

const STEPS = Object.entries({
  questions: "two questions",
  plane: "the plane",
  dimensions: "dimension by dimension",
  layers: "layer by layer",
}).map(([key, title]) => ({ key, title }));

function shell(root, _picture, page) {
  const view = { page, step: "questions", asked: "", offered: "", own: "" };
  const on = {
    input: (name, value, kind) => view.page.input(name, value, kind),
    select: (doc, extend) => choose(view, doc, extend),
  };
  const plane = makePlaneStep(on);
  view.parts = {
    questions: plane,
    plane,
    dimensions: makeDimensions(on),
    layers: makeLayers(on, makeBench(on)),
  };
  view.steps = stepBar("scores", STEPS, "Pictures of this chapter", (key) => {
    view.step = key;
    paint(view);
  }, "div.scores-steps");
  view.stage = el("div.scores-stage");
  root.replaceChildren(el("div.scores", view.steps.root, view.stage));
  return view;
}

/** A click on a token selects the pieces of its word; with Shift the selection grows to it. */
function choose(view, doc, extend) {
  const { page } = view;
  const w = page.reading.windows[view.picture.window];
  let { start, end } = wordAt(page.reading.tokens, doc, w.docStart, w.docStop);
  const now = page.selection;
  if (extend && now?.window === w.index) {
    [start, end] = [Math.min(start, now.start), Math.max(end, now.end)];
  }
  page.select({ window: w.index, start, end });
}

/** T of the shown window is fetched once; a selection in another window asks for that one. */
function ask(view) {
  const { page, picture } = view;
  if (page.reading.typed || (page.selection && !page.selection.record)) return;
  const wanted = page.selection?.window ?? picture.window;
  const details = page.selection?.record?.details?.scores;
  const here = picture.states && picture.window === wanted;
  if (here && (!page.selection || details?.window === wanted)) {
    view.asked = "";
    return;
  }
  const { reader, question, context } = page.reading;
  const key = [reader, question, context, wanted, Boolean(picture.states)].join("\u0001");
  if (view.asked === key) return;
  view.asked = key;
  page.input("states", wanted);
}

/** The first ready question of this text is asked by itself, once, so that the chapter opens with what
 * its headline asks; not in a lesson, which asks its own.
 */
function offer(view) {
  const { page, picture, step, offered } = view;
  const [question] = picture.offers;
  const { reading } = page;
  const text = [reading.reader, reading.question, reading.context].join("\u0001");
  const lesson = document.body.matches(".lessons, .covering, .veiled, .guessing");
  if (step !== "questions" || !question || text === offered || reading.saved || lesson) return;
  view.offered = text;
  if (picture.slide) return;
  view.own = question;
  page.input("other", { question });
}

/** Whether the other question came by itself: the steps after the first are about one. */
const alone = ({ picture, step, own }) => step !== "questions" && picture.slide?.question === own;

function model(view) {
  const { page } = view;
  const picture = alone(view) ? { ...view.picture, slide: null, bench: null } : view.picture;
  const w = page.reading.windows[picture.window];
  const chosen = page.selection?.window === w.index ? page.selection : null;
  const details = page.selection?.record?.details?.scores;
  return {
    page,
    picture,
    w,
    chosen: chosen && { start: w.pos(chosen.start), end: w.pos(chosen.end) },
    doc: (p) => (w.inside(p) ? w.doc(p) : null),
    details: details?.window === w.index ? details : null,
    width: view.root.clientWidth,
  };
}

function paint(view) {
  view.steps.show(view.step);
  const part = view.parts[view.step];
  if (view.stage.firstChild !== part.root) view.stage.replaceChildren(part.root);
  part.root.classList.toggle("of-questions", view.step === "questions");
  part.update(model(view));
  const { notices } = view.picture;
  view.page.notice(notices[view.step] ?? (alone(view) ? notices.one : notices.asked));
  ask(view);
  offer(view);
}

const { draw, select } = kept({ make: shell, paint });

export { draw, select };
