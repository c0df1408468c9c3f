// Chapter 8, SpanBERT: mask, predict, and what is left of pre-training when it reads. One step is
// on show at a time.

import { el, stepBar } from "../shared/dom.js";
import { drawClosing } from "./closing.js";
import { drawMask } from "./mask.js";
import { drawPredict } from "./predict.js";
import { sourceMenu } from "./source.js";
import { kept } from "../shared/views.js";

/** @type {[string, string, any][]} */
const STEPS = [["mask", "mask", drawMask], ["predict", "predict", drawPredict], [
  "closing",
  "from pre-training to reading",
  drawClosing,
]];

function shell(root, { step }) {
  root.classList.add("spanbert");
  const view = { step, asked: "" };
  const steps = STEPS.map(([key, title]) => ({ key, title }));
  view.steps = stepBar("spanbert", steps, "Steps of this chapter", (key) => open(view, key));
  view.stages = STEPS.map(([key]) => el("div.spanbert-stage", { id: `spanbert-${key}` }));
  view.source = sourceMenu();
  view.stage = el("p.spanbert-says.role-quiet[role=status]");
  view.failed = el("p.banner");
  root.replaceChildren(
    view.steps.root,
    view.failed,
    view.stage,
    view.source.root,
    ...view.stages,
  );
  return view;
}

// The step is drawn at once from what is here; Python sends its notice and tables, and the guesses,
// which it makes only for their own step.
function open(view, key) {
  view.step = key;
  paint(view);
  view.page.input("step", key);
}

// Python sends guesses with their own step only; until they come, those of the same blanks stand
// for them. What training measured comes with its step as well, and stays as it was.
function shown({ step, picture, held, measured }) {
  if (step === "closing") return measured;
  if (step !== "predict" || picture.predict || picture.step === "predict") return picture[step];
  return held?.mask === JSON.stringify(picture.mask) ? held.predict : null;
}

function waits({ step, picture, lacking }, data) {
  if (data) return "";
  if (step === "closing") return "What training measured is on its way.";
  if (picture.failed) return "";
  if (lacking) return lacking;
  return picture.ready && picture.mask
    ? "The model reads the text: a moment."
    : "Loading SpanBERT and the text: a few seconds, the first time only.";
}

function paint(view) {
  const { picture, page } = view;
  if (picture.closing) view.measured = picture.closing;
  view.lacking ??= picture.lacking;
  if (picture.predict) {
    view.held = { mask: JSON.stringify(picture.mask), predict: picture.predict };
  }
  view.steps.show(view.step);
  view.root.dataset.step = view.step;
  const data = shown(view);
  view.failed.textContent = picture.failed
    ? `${picture.failed}. ${
      view.step === "predict"
        ? "Nothing can be predicted without one."
        : "Masking works on the reader's word pieces."
    }`
    : "";
  view.failed.toggleAttribute("hidden", !picture.failed || view.step === "closing");
  view.stage.textContent = waits(view, data);
  STEPS.forEach(([key, , paintStep], k) => {
    const on = Boolean(key === view.step && data);
    view.stages[k].toggleAttribute("hidden", !on);
    if (on) paintStep(view.stages[k], data, page);
  });
  view.source.root.toggleAttribute("hidden", view.step === "closing" || !picture.mask);
  if (picture.mask) view.source.draw(picture.mask, page);
  // a saved page without the text says so, and asks no more
  if (view.lacking && view.step !== "closing") page.notice("No text stands here to hide words in.");
  if (!picture.ready && !view.lacking && view.asked !== picture) {
    view.asked = picture;
    page.input("load", true);
  }
}

// the selection is no part of this chapter: nothing here moves with it
const { draw, select } = kept({ make: shell, paint, select: () => {} });

export { draw, select };
