// Chapter 7, Tags: three steps under one text: three probabilities a token, spans from tags,
// annotators who disagree.

import * as annotators from "./annotators.js";
import * as spans from "./spans.js";
import { stretches, stripes, tagText } from "./text.js";
import * as token from "./token.js";
import { fresh } from "../shared/address.js";
import { el, stepBar } from "../shared/dom.js";
import { floats, joiner } from "../shared/pack.js";
import { max } from "../shared/scales.js";
import { kept } from "../shared/views.js";
import { words } from "./words.js";

/** @type {[string, any, string][]} */
const STEPS = [
  ["tags", token, "three probabilities a token"],
  ["spans", spans, "from tags to spans"],
  ["annotators", annotators, "annotators and loss"],
];
const stepOf = (view) => (STEPS.find(([key]) => key === view.step) ?? STEPS[0])[1];

function shell(root) {
  root.classList.add("bio");
  const view = {
    step: "tags",
    text: tagText(),
    stage: el("div.bio-stage"),
    open: new Set(),
    asked: "",
  };
  const steps = STEPS.map(([key, , title]) => ({ key, title }));
  view.steps = stepBar("bio", steps, "Steps of this chapter", (key) => {
    view.step = key;
    paint(view);
  });
  view.hint = el("p.bio-hint.role-quiet");
  root.replaceChildren(
    stripes(),
    view.steps.root,
    view.text.root,
    view.hint,
    view.stage,
  );
  // A fold that was open stays open when its content is drawn again.
  root.addEventListener("toggle", (event) => {
    if (event.target.id) view.open[event.target.open ? "add" : "delete"](event.target.id);
  }, true);
  return view;
}

function model(view) {
  const { picture, page, step } = view;
  if (view.packed !== picture) {
    Object.assign(view, {
      packed: picture,
      p: floats(picture.bars.p),
      joins: joiner(picture.bars.joined),
      t: floats(picture.loss.t),
      loss: floats(picture.loss.loss),
      floor: floats(picture.loss.floor),
    });
  }
  const { keep, sure } = picture.bars;
  const { p, joins } = view;
  const base = { page, p, keep, sure, joins, open: stretches(p, keep, sure), below: [] };
  if (step === "spans") return { ...base, below: spans.rows(picture, page) };
  if (step === "annotators") {
    const { t: targets, loss, floor } = view;
    const losses = { loss, floor, top: max(loss) ?? 0 };
    return { ...base, below: annotators.rows(picture), targets, losses };
  }
  return base;
}

function paint(view) {
  const { picture, page } = view;
  view.steps.show(view.step);
  [view.steps.root, view.text.root, view.hint].forEach((node) =>
    node.toggleAttribute("hidden", !picture.has)
  );
  if (picture.has) {
    view.hint.textContent = view.step === "annotators" ? words.mark_how : words.hint;
    view.root.classList.toggle("with-rows", view.step !== "tags");
    view.text.draw(model(view));
    stepOf(view).draw(view.stage, picture, page, view);
    page.notice(picture.notices[view.step]);
  } else headless(view);
  view.root.querySelectorAll("details[id]").forEach((fold) => {
    if (view.open.has(fold.id)) fold.open = true;
  });
  ask(view);
}

/** What a reader without a BIO head has in the place of a step. */
function headless({ stage }) {
  stage.replaceChildren(
    el("p.bio-says", words.no_head),
    el("p.offers", el("button.boxed.plain#bio-bundled", { onclick: fresh }, words.bundled)),
  );
}

// The dimensions in the formula come from the reader: asked for once a reading; they come back with
// the next record.
function ask(view) {
  const { picture, page } = view;
  const key = `${page.reading.reader} ${page.reading.stamp}`;
  if (!picture.needs || view.asked === key || page.reading.typed) return;
  view.asked = key;
  page.input("heads", true);
}

function moved(view) {
  const { picture, page } = view;
  if (!picture.has) return headless(view);
  view.text.mark(model(view));
  stepOf(view).select(view.stage, picture, page, view);
  return undefined;
}

const { draw, select } = kept({ make: shell, paint, select: moved });

export { draw, select };
