// Chapter 5, Loss: measure, label, step; what few need is folded below. The shell stands, only
// contents are drawn again.

import { el, fold, stepButtons } from "../shared/dom.js";
import * as axes from "./axes.js";
import { loseAndWin, misread, replay, variants } from "./folds.js";
import * as labels from "./labels.js";
import * as steps from "./steps.js";
import { keptViews } from "../shared/views.js";

const STEPS = { axes, labels, steps };
const FOLDS = [
  ["variants", "other losses", variants],
  ["misread", "your formula, corrected", misread],
  ["verdicts", "low loss, wrong answer?", loseAndWin],
  ["replay", "replay of the fine-tuning", replay],
];
const views = keptViews((view) => view.stage);

function shell(root, picture) {
  const view = {
    root,
    step: "axes",
    held: {},
    stage: el("div.step-stage"),
  };
  view.buttons = stepButtons("loss", picture.steps, (key) => {
    view.step = key;
    paint(view);
  });
  view.folds = FOLDS.map(([key, title, draw]) => {
    const inside = el("div.fold-inside");
    const node = fold(title, inside, { id: `loss-${key}` });
    node.addEventListener("toggle", () => {
      if (node.open) drawFold(view, { key, inside, draw });
    });
    return { key, node, inside, draw };
  });
  root.replaceChildren(
    el(
      "div.loss",
      el("div.steps[role=group][aria-label=Steps]", view.buttons),
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
  view.buttons.forEach((button, k) =>
    button.setAttribute("aria-pressed", String(picture.steps[k].key === step))
  );
  view.held[step] ??= {};
  if (stage.dataset.step !== step) stage.replaceChildren();
  stage.dataset.step = step;
  STEPS[step].draw(stage, picture, page, view.held[step]);
  page.notice(picture.notices[step]);
  view.folds.filter((f) => f.node.open).forEach((f) => drawFold(view, f));
}

export function draw(root, picture, page) {
  const view = views.of(root, () => shell(root, picture));
  Object.assign(view, { picture, page });
  paint(view);
}

export function select(root, picture, page) {
  const view = views.known(root);
  if (!view) return draw(root, picture, page);
  Object.assign(view, { picture, page });
  STEPS[view.step].select?.(view.stage, picture, page, view.held[view.step]);
  return undefined;
}
