// Chapter 6, Long text: three named steps, one picture each. The shell stands; only what changed is
// drawn again.

import { el, stepButtons } from "../shared/dom.js";
import * as candidates from "./candidates.js";
import * as merge from "./merge.js";
import * as plan from "./plan.js";
import { keptViews } from "../shared/views.js";

const STEPS = { windows: plan, candidates, merge };
const SMALL_WINDOWS = "danube-small";
const views = keptViews((view) => view.stage);

function shell(root, picture, page) {
  root.classList.add("long-text");
  const view = {
    root,
    step: "windows",
    held: {},
    stage: el("div.step-stage"),
    says: el("p.step-says"),
  };
  view.buttons = stepButtons("windows", picture.steps, (key) => {
    view.step = key;
    paint(view);
  });
  root.replaceChildren(
    el("div.steps[role=group]", { "aria-label": picture.words.steps }, view.buttons),
    view.says,
    view.stage,
  );
  view.page = Object.create(page, { width: { get: () => root.clientWidth } });
  return view;
}

/** Where one window is enough there is nothing to see: an example that needs several. */
const several = (page) =>
  el(
    "button.plain.w-several",
    { onclick: () => page.open(SMALL_WINDOWS) },
    "Show a text of several windows",
  );

function paint(view) {
  const { picture, page, stage, step } = view;
  view.buttons.forEach((button, k) =>
    button.setAttribute("aria-pressed", String(picture.steps[k].key === step))
  );
  view.says.replaceChildren(
    picture.steps.find((s) => s.key === step).says,
    ...(page.reading.windows.length === 1 ? [" ", several(page)] : []),
  );
  view.held[step] ??= {};
  if (stage.dataset.step !== step) stage.replaceChildren();
  stage.dataset.step = step;
  STEPS[step].draw(stage, picture, page, view.held[step]);
}

export function draw(root, picture, page) {
  const view = views.of(root, () => shell(root, picture, page));
  view.picture = picture;
  paint(view);
}

export function select(root, picture, page) {
  const view = views.known(root);
  if (view) STEPS[view.step].select(view.stage, picture, view.page, view.held[view.step]);
  else draw(root, picture, page);
}
