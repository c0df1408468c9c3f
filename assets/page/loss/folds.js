// What chapter 5 keeps folded: wrong formulas, the replay of the fine-tuning.

import { el, put, table } from "../shared/dom.js";
import { curve } from "../shared/curve.js";
import { fixed } from "../shared/numbers.js";
import { floats, joiner, softmax } from "../shared/pack.js";
import { paragraph } from "../shared/paragraph.js";
import { makeScale } from "../shared/stems.js";

export function misread(root, picture, page, held) {
  held.open ??= picture.misread[0].key;
  const found = picture.misread.find((m) => m.key === held.open);
  const broken = picture.broken?.key === held.open ? picture.broken : null;
  const choose = (key) => {
    held.open = key;
    misread(root, picture, page, held);
    root.querySelector("[aria-pressed=true]")?.focus();
  };
  put(
    root,
    el(
      "div.switches[role=group]",
      { "aria-label": "Formulas as they are sometimes written" },
      picture.misread.map((m) =>
        el("button.switch", {
          "aria-pressed": m.key === held.open,
          onclick: () => choose(m.key),
        }, m.wrong)
      ),
    ),
    el("dl.two.tabular", pair("as written it gives", found.value), pair(found.of, found.right)),
    el("p.says", found.says),
    el("p", el("strong", "Corrected: "), found.instead),
    el(
      "div.acts",
      el("button.act", {
        onclick: () => page.input("break", found.key),
      }, "Break it: search the stored readings"),
    ),
    broken && el("p.says.broken", broken.says),
  );
}

const pair = (name, value) => el("div", el("dt", name), el("dd", value));

// The replay --------------------------------------------------------------------------------------

const UNRECORDED = "No record of the fine-tuning fits this reading: it belongs to the bundled " +
  "reader and its examples at their own windows.";
const OWN =
  "The fine-tuning was recorded for the bundled examples; choose one of them to see how " +
  "this reader learned.";
const SHOW = "show what every recorded step said about this example";

export function replay(root, picture, page, held) {
  if (!picture.canReplay) {
    root.replaceChildren(el("p", picture.example ? UNRECORDED : OWN));
    return;
  }
  if (!picture.replay) {
    const onclick = () => page.input("replay", true);
    root.replaceChildren(el("div.acts", el("button.act", { onclick }, SHOW)));
    return;
  }
  const data = picture.replay;
  const key = `${page.reading.stamp} ${data.steps.length} ${root.clientWidth} ${page.scale}`;
  if (held.key !== key) {
    Object.assign(held, {
      key,
      start: floats(data.start),
      end: floats(data.end),
      at: held.at ?? data.steps.length - 1,
      text: paragraph(),
    });
  }
  held.at = Math.min(held.at, data.steps.length - 1);
  const slider = el("input.scrubber#loss-replay-step[type=range][step=1]", {
    "aria-label": "recorded step",
    min: 0,
    max: data.steps.length - 1,
    value: held.at,
    oninput: () => {
      held.at = Number(slider.value);
      frame(held, data, picture, page, slider);
    },
  });
  held.graph = el("div");
  held.said = el("p.tabular[aria-live=polite]");
  root.replaceChildren(
    el("p.says", data.says),
    el(
      "p.role-quiet",
      "loss at each recorded step; the first steps were recorded more closely than the later ones",
    ),
    held.graph,
    slider,
    held.said,
    el("div.start-end", held.text.root),
    table(data.table, page),
  );
  frame(held, data, picture, page, slider);
}

function frame(held, data, picture, page, slider) {
  const { at } = held;
  const w = page.reading.windows[data.window];
  const row = (side) => held[side].subarray(at * data.n, (at + 1) * data.n);
  const p = { start: softmax(row("start")), end: softmax(row("end")) };
  const span = data.spans[at];
  const said = `step ${data.steps[at]}`;
  slider.setAttribute("aria-valuetext", said);
  held.said.replaceChildren(
    el("strong", said),
    `: loss ${fixed(data.loss[at], 3)}, `,
    data.answers[at] === null ? "no answer; the best span of the window would be " : "answer ",
    el("bdi", `“${data.best[at]}”`),
    at === 0 && data.steps[0] === 0 ? " — the heads are random" : "",
  );
  held.graph.replaceChildren(
    curve(data.loss, held.graph.clientWidth || 600, page, { at, height: 7, names: data.steps }),
  );
  const predicted = span && data.answers[at] !== null
    ? { window: w.index, start: span[0], end: span[1] }
    : null;
  held.text.draw({
    page: Object.create(page, { predicted: { value: predicted }, selection: { value: null } }),
    window: w,
    p,
    question: picture.question,
    joins: joiner(picture.joined),
    byHand: () => false,
    scale: makeScale({ log: false, n: w.n, size: page.scale }),
    apart: { start: w.highest(row("start")), end: w.highest(row("end")) },
  });
}
