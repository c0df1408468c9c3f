// Chapter 6, Long text: three named steps, one picture each. The shell stands; only what changed is
// drawn again.

import { el, put, stepBar } from "../shared/dom.js";
import * as candidates from "./candidates.js";
import * as merge from "./merge.js";
import * as plan from "./plan.js";
import { kept } from "../shared/views.js";

const STEPS = { windows: plan, candidates, merge };
const SMALL_WINDOWS = "danube-small";

function shell(root, picture) {
  root.classList.add("long-text");
  const view = {
    step: "windows",
    held: {},
    stage: el("div.step-stage"),
    says: el("p.step-says"),
  };
  view.steps = stepBar("windows", picture.steps, "Steps of this chapter", (key) => {
    view.step = key;
    paint(view);
  });
  root.replaceChildren(view.steps.root, view.says, view.stage);
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
  view.steps.show(step);
  const { says } = picture.steps.find((s) => s.key === step);
  put(view.says, says, page.reading.windows.length === 1 && [" ", several(page)]);
  view.held[step] ??= {};
  if (stage.dataset.step !== step) stage.replaceChildren();
  stage.dataset.step = step;
  STEPS[step].draw(stage, picture, page, view.held[step]);
}

const { draw, select } = kept({
  make: shell,
  paint,
  select: ({ step, stage, picture, page, held }) =>
    STEPS[step].select(stage, picture, page, held[step]),
});

export { draw, select };
