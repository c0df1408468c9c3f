// Chapter 8, SpanBERT: mask, predict, and what is left of pre-training when it reads. One step is on show at a time.

import { el } from "./dom.js";
import { drawMask } from "./spanbert_mask.js";
import { drawPredict } from "./spanbert_predict.js";

const STEPS = [["mask", "mask", drawMask], ["predict", "predict", drawPredict], ["closing", "from pre-training to reading", () => {}]];
const views = new WeakMap();

function shell(root) {
  root.classList.add("spanbert");
  const view = { root, step: "mask", asked: "" };
  view.buttons = STEPS.map(([key, title], k) => el("button", { type: "button", class: "plain step", id: `spanbert-step-${key}`, onclick: () => { view.step = key; paint(view); } },
    el("span", { class: "number" }, k + 1), title));
  view.stages = STEPS.map(([key]) => el("div", { class: "spanbert-stage", id: `spanbert-${key}` }));
  view.wait = el("p", { class: "spanbert-says role-quiet" });
  root.replaceChildren(el("div", { class: "steps", role: "group", "aria-label": "Steps of this chapter" }, view.buttons), view.wait, ...view.stages);
  views.set(root, view);
  return view;
}

function paint(view) {
  const { picture, page } = view;
  view.buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(STEPS[k][0] === view.step)));
  const data = picture[view.step];
  view.wait.textContent = data ? "" : picture.failed ?? "Loading SpanBERT and the text: a few seconds, the first time only.";
  STEPS.forEach(([key, , draw], k) => {
    const on = key === view.step && data;
    view.stages[k].toggleAttribute("hidden", !on);
    if (on) draw(view.stages[k], data, page);
  });
  if (!picture.ready && view.asked !== picture) {
    view.asked = picture;
    page.input("load", true);
  }
}

export function draw(root, picture, page) {
  const known = views.get(root);
  const view = known && root.contains(known.wait) ? known : shell(root);
  Object.assign(view, { picture, page });
  paint(view);
}

export function select(root, picture, page) {
  if (!views.has(root)) draw(root, picture, page);
}
