// Step 2 of chapter 8: the text with its blanks, the classic figure with live values, and what a
// cut wire or another word changes.

import { form, textBox } from "../shared/controls.js";
import { el, fold, put, roving, table } from "../shared/dom.js";
import { formula } from "../shared/formula.js";
import { drawFigure } from "./predict_figure.js";
import { kept } from "../shared/views.js";

function shell(root) {
  root.classList.add("sbp");
  // a box stays, with what is half typed in it, until another word stands there
  const view = {
    sides: {},
    stage: el("p.sbp-text[role=radiogroup][dir=auto]", {
      "aria-label": "Blanks of this text: arrow keys choose one",
    }),
    blank: el("div.sbp-blank"),
    figure: el("div.sbp-figure"),
    asks: el("section.sbp-asks"),
    sums: el("div.sbp-sum"),
    loss: el("div.sbp-sum"),
  };
  view.folds = [
    fold("the arithmetic of this guess", view.sums, { id: "spanbert-arithmetic" }),
    fold("the loss, term by term", view.loss, { id: "spanbert-loss" }),
  ];
  root.replaceChildren(
    view.stage,
    view.figure,
    view.blank,
    view.asks,
    el("div.folds", view.folds),
  );
  // as in a group of radio buttons: what gets the focus is chosen
  roving(view.stage, ".blank");
  roving(view.stage, ".blank", { horizontal: false });
  view.stage.addEventListener("focusin", ({ target }) => choose(view, target.closest(".blank")));
  return view;
}

// The mark moves at once; the guesses follow when Python has answered.
function choose(view, node) {
  if (!node || node.getAttribute("aria-checked") === "true") return;
  for (const blank of view.stage.querySelectorAll(".blank")) {
    blank.setAttribute("aria-checked", String(blank === node));
  }
  view.page.input("predict-blank", Number(node.dataset.doc));
}

const SEEN = {
  mask: "the encoder sees [MASK]",
  random: "the encoder sees a random piece",
  keep: "the encoder sees the true piece",
};

function textNodes({ line, at, blank }) {
  return line.flatMap((t) => {
    if (t.doc < 0) return [t.gap];
    if (!t.k) {
      return [t.gap, t.now === undefined ? t.text : el("ins.changed-word", t.now)];
    }
    return [
      t.gap,
      el(
        `span.blank${t.doc >= blank.start && t.doc <= blank.end ? ".here" : ""}[role=radio]`,
        {
          dataset: { doc: t.doc },
          tabindex: t.doc === at ? 0 : -1,
          "aria-checked": t.doc === at,
          "aria-label": `blank ${t.k} of its run, ${SEEN[t.fate]}`,
        },
        el("span.k", t.k),
        t.given ? el("span.given", t.given) : null,
      ),
    ];
  });
}

function neighbour(view, side) {
  const place = view.picture.sides[side];
  const id = `spanbert-${side}-word`;
  const now = `${place.doc} ${place.was} ${place.now}`;
  if (view.sides[side]?.now === now) return view.sides[side].node;
  const send = (word) => view.page.input("predict-word", { side, word }, `predict-word-${side}`);
  const about = { id, size: 12, value: place.now ?? "", placeholder: place.was };
  const input = textBox("input", about);
  const node = form(
    "form.ask",
    () => send(input.value),
    el("label", { for: id }, `${side} word`),
    input,
    el("button.boxed.plain[type=submit]", "put it there"),
    place.now === null
      ? null
      : el("button.plain", { onclick: () => send(null) }, `back to “${place.was}”`),
  );
  view.sides[side] = { now, node };
  return node;
}

function asks(view) {
  const { picture, page } = view;
  return picture.strips && [
    el("h3", "Ask what the boundary knows"),
    el(
      "p.role-quiet",
      "Cut a wire in the figure, or put another word beside the run: one word piece.",
    ),
    neighbour(view, "left"),
    neighbour(view, "right"),
    el(
      "div.ask",
      el("button.boxed.plain", {
        id: "spanbert-reset",
        disabled: !picture.changed,
        onclick: () => page.input("predict-reset", true),
      }, "reset"),
      picture.changed ? null : el("span.role-quiet", "Nothing is changed."),
    ),
    el("div.sbp-says", { role: "status" }, picture.says.map((s) => el("p", s))),
  ];
}

function figure(view) {
  drawFigure(view.figure, view.picture, view.page, Boolean(view.vectors), () => {
    view.vectors = !view.vectors;
    figure(view);
    document.getElementById("spanbert-vectors")?.focus();
  });
}

function paint(view) {
  const { picture, page } = view;
  view.stage.replaceChildren(...textNodes(picture));
  view.blank.replaceChildren(picture.blank.says, formula(picture.formula));
  figure(view);
  put(view.asks, asks(view));
  const { steps, loss } = picture;
  if (steps) {
    view.sums.replaceChildren(
      table(steps.vectors, page),
      formula(steps.squares),
      table(steps.product, page),
      formula(steps.log),
    );
  }
  view.loss.replaceChildren(
    table(loss.table, page),
    el("p.role-quiet", loss.why),
    formula(loss.paper),
    formula(loss.code),
  );
  view.folds[0].toggleAttribute("hidden", !picture.steps);
}

export const drawPredict = kept({ make: shell, paint }).draw;
