// The controls of chapter 3. They are built once and only updated, so that a redraw never takes the
// focus from a slider.

import { menu, radios } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { fixed, rounded } from "../shared/numbers.js";

const steps = (temperature) => Math.round(20 * Math.log2(temperature)) / 20;
const temperatureAt = (value) => rounded(2 ** Number(value));

/** Scale, temperature and window: {root, update(model, picture)}. */
export function controls(on) {
  const scales = [["linear", "linear"], ["log", "log"]];
  const slider = el("input#start_end-temperature[type=range][min=-2][max=2][step=0.05][value=0]");
  const shown = el("output.tabular[for=start_end-temperature]");
  const reset = el("button.plain", {
    onclick: () => {
      show(1);
      on.temperature(1, true);
    },
  }, "reset");
  const windows = menu("start_end-window", "window", (k) => on.window(Number(k)), "label.lever");
  const show = (temperature) => {
    slider.value = String(steps(temperature));
    slider.setAttribute("aria-valuetext", String(temperature));
    shown.textContent = fixed(temperature);
    reset.disabled = temperature === 1;
  };
  slider.addEventListener("input", () => {
    show(temperatureAt(slider.value));
    on.temperature(temperatureAt(slider.value), false);
  });
  slider.addEventListener("change", () => on.temperature(temperatureAt(slider.value), true));
  const root = el(
    "div.levers",
    el(
      "fieldset.lever",
      el("legend", "scale"),
      radios("start_end-scale", scales, "linear", (name) => on.scale(name === "log")),
    ),
    el("span.lever", el("label[for=start_end-temperature]", "temperature"), slider, shown, reset),
    windows.root,
  );
  return {
    root,
    update({ page, window: w, temperature }) {
      show(temperature);
      const count = page.reading.windows.length;
      windows.root.hidden = count < 2;
      windows.update(page.reading.windows.map((_, k) => [k, `${k + 1} of ${count}`]), w.index);
    },
  };
}

/** Raise or lower the logits of the selected start and end: {root, update(model, picture)}. */
export function lift(on) {
  const rows = ["start", "end"].map((side) => row(side, on));
  const hint = el(
    "p.role-quiet",
    "Softmax, score and answer follow from the changed logit; the model is not run again. " +
      "Select another start or end to change its logit.",
  );
  return {
    root: el("div.lift", rows.map((r) => r.root), hint),
    update: (model, picture) => rows.forEach((r) => r.update(model, picture)),
  };
}

function row(side, on) {
  const id = `start_end-${side}_logit`;
  const label = el("label", { for: id });
  const slider = el("input[type=range][step=0.05]", { id });
  const shown = el("output.tabular", { for: id });
  const reset = el("button.plain", {
    onclick: () => send(null),
  }, "reset");
  let place = null;
  const send = (value) => on.send({ side, window: place.window, doc: place.doc, value });
  const show = (value) => {
    shown.textContent = fixed(value, 3);
  };
  slider.addEventListener("input", () => {
    show(Number(slider.value));
    on.drag({ side, window: place.window, pos: place.pos, value: Number(slider.value) });
  });
  slider.addEventListener("change", () => send(Number(slider.value)));
  const root = el("div.lever", label, slider, shown, reset);
  return {
    root,
    update({ page, window: w, logits }, picture) {
      const chosen = page.selection?.window === w.index ? page.selection : null;
      root.hidden = !chosen;
      if (!chosen) return;
      const doc = chosen[side];
      place = { window: w.index, doc, pos: w.pos(doc) };
      label.replaceChildren(
        el(`span.role-${side}`, `${side}_logit`),
        " of ",
        el("bdi", w.tokens[place.pos]),
      );
      const value = logits[side][place.pos];
      slider.min = String(Math.min(picture.range[0], Math.floor(value)));
      slider.max = String(Math.max(picture.range[1], Math.ceil(value)));
      slider.value = String(value);
      show(value);
      const changed = picture.changed.find((c) =>
        c.side === side && c.window === w.index && c.pos === place.pos
      );
      reset.disabled = !changed;
      reset.textContent = changed ? `reset to ${fixed(changed.true, 3)}` : "reset";
    },
  };
}
