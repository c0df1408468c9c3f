// Chapter 5, Loss: measure, label, step; what few need is folded below. The shell stands, only
// contents are drawn again.

import { el, fold, stepBar } from "../shared/dom.js";
import * as axes from "./axes.js";
import { misread, replay } from "./folds.js";
import * as labels from "./labels.js";
import * as steps from "./steps.js";
import { kept } from "../shared/views.js";

const STEPS = { axes, labels, steps };
const FOLDS = [
  ["misread", "your formula, corrected", misread],
  ["replay", "replay of the fine-tuning", replay],
];

function shell(root, picture) {
  const view = { step: "axes", held: {}, stage: el("div.step-stage") };
  view.steps = stepBar("loss", picture.steps, "Steps", (key) => {
    view.step = key;
    paint(view);
  });
  view.folds = FOLDS.map(([key, title, draw]) => {
    const inside = el("div.fold-inside");
    const ontoggle = () => node.open && drawFold(view, { key, inside, draw });
    const node = fold(title, inside, { id: `loss-${key}`, ontoggle });
    return { key, node, inside, draw };
  });
  root.replaceChildren(
    el(
      "div.loss",
      view.steps.root,
      view.stage,
      fold(
        "more about the loss",
        el("div.folds", view.folds.map((f) => f.node)),
        { id: "loss-more" },
      ),
    ),
  );
  return view;
}

function drawFold(view, { key, inside, draw }) {
  view.held[key] ??= {};
  draw(inside, view.picture, view.page, view.held[key]);
}

function paint(view) {
  const { picture, page, stage, step } = view;
  view.steps.show(step);
  view.held[step] ??= {};
  if (stage.dataset.step !== step) stage.replaceChildren();
  stage.dataset.step = step;
  STEPS[step].draw(stage, picture, page, view.held[step]);
  page.notice(picture.notices[step]);
  view.folds.filter((f) => f.node.open).forEach((f) => drawFold(view, f));
}

const { draw, select } = kept({
  make: shell,
  paint,
  select: ({ step, stage, picture, page, held }) =>
    STEPS[step].select?.(stage, picture, page, held[step]),
});

export { draw, select };
