// Step 1 of chapter 8: a text, its hidden spans by hand or by the law, and BERT's single pieces
// beside them.

import { el, fold } from "../shared/dom.js";
import { kept } from "../shared/views.js";
import { histogram, legend } from "./mask_lengths.js";
import { maskText } from "./mask_text.js";

const HOW = "Drag over words to hide them.";

function shell(root) {
  const view = {};
  const send = (name, value) => view.page.input(name, value);
  const spans = maskText(
    "The text: arrow keys move between words, Shift extends, Enter hides or shows, Delete " +
      "shows a run again",
    {
      hide: (first, last) => send("mask-span", [first, last]),
      show: (at) => send("mask-show", at),
    },
  );
  view.texts = [spans, maskText("The same text under single pieces")];
  view.stage = el("p.mask-says[aria-live=polite]");
  view.seed = el("output.role-quiet.tabular#spanbert-seed");
  view.draw = el("button.act#spanbert-draw", {
    onclick: () => send("mask-seed", view.picture.seed + (view.picture.byHand ? 0 : 1)),
  });
  view.counts = view.texts.map(() => el("p.role-quiet.tabular"));
  view.titles = [el("h3"), el("h3", "BERT: single pieces, the same budget")];
  const columns = view.texts.map((text, k) =>
    el("section.mask-column", view.titles[k], text.root, view.counts[k])
  );
  view.hist = el("div.hist");
  view.histLegend = el("div");
  view.histSays = el("p.role-quiet.hist-says.veil-part");
  view.levers = el("div.mask-levers");
  view.keys = {
    mask: key("mask", "becomes [MASK]"),
    random: key("random", "becomes a random piece"),
    keep: key("keep", "stays, yet is asked for"),
  };
  view.law = fold(
    "draw spans by the law",
    el(
      "div.mask-under",
      el(
        "section.turns[aria-label=The draw]",
        el("div.acts", view.draw, view.seed),
        view.levers,
      ),
      el(
        "section.lengths[aria-label=Span lengths]",
        view.histLegend,
        view.hist,
        view.histSays,
      ),
    ),
    // the histogram has a width then
    { id: "spanbert-law", ontoggle: () => view.law.open && paint(view) },
  );
  root.replaceChildren(
    el(
      "div.mask",
      el("div.mask-key", Object.values(view.keys)),
      el("div.mask-columns", columns),
      view.stage,
      view.law,
    ),
  );
  return view;
}

const key = (kind, text) =>
  el(
    "span.key-item",
    el(
      `span.hid.${kind}.opens.closes.key-box[aria-hidden=true]`,
      kind === "random" ? el("span.true", "ab") : "ab",
    ),
    text,
  );

// Painting ----------------------------------------------------------------------------------------

function paint(view) {
  const { picture, page } = view;
  view.titles[0].textContent = picture.byHand
    ? "Spans drawn by hand"
    : "SpanBERT: whole words in a row";
  [picture.spans, picture.single].forEach((scheme, c) => {
    view.texts[c].draw({ pieces: picture.pieces, ...scheme });
    view.counts[c].textContent =
      `${scheme.hidden} of ${picture.pieces.length} pieces, ${scheme.runs.length} ${
        scheme.runs.length === 1 ? "run" : "runs"
      }`;
  });
  const fates = [picture.spans, picture.single].flatMap((s) => Object.values(s.fates));
  for (const [fate, node] of Object.entries(view.keys)) {
    node.toggleAttribute("hidden", !fates.includes(fate));
  }
  view.stage.textContent = picture.said || HOW;
  view.draw.textContent = picture.byHand ? "draw by the law" : "draw with a new seed";
  const width = view.hist.clientWidth || view.root.clientWidth;
  view.hist.replaceChildren(histogram(picture.lengths, page, width));
}

function controls(view) {
  const { picture, page } = view;
  const { lengths } = picture;
  view.seed.textContent = `seed ${picture.seed}`;
  view.histLegend.replaceChildren(legend(lengths));
  view.histSays.textContent = lengths.says;
  view.levers.replaceChildren(...picture.options.map((option) => {
    const said = el("span.tabular", option.value);
    const slider = el("input[type=range]", {
      id: `spanbert-${option.name}`,
      min: option.low,
      max: option.high,
      step: option.step,
      value: option.value,
      oninput: () => {
        said.textContent = slider.value;
      },
      onchange: () =>
        page.input(
          "mask-option",
          { name: option.name, value: Number(slider.value) },
          `mask-option ${option.name}`,
        ),
    });
    return el(
      "label.mask-lever",
      { title: option.help },
      el("code", option.name),
      " ",
      said,
      slider,
    );
  }));
}

export const drawMask = kept({
  make: shell,
  paint: (view) => {
    controls(view);
    paint(view);
  },
}).draw;
