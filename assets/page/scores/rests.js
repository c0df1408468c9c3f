// What the two scores of the bench rested on: word beside word, start part above, end part below;
// filled supports, hollow speaks against.

import { menu } from "../shared/controls.js";
import { el, grid, put, row } from "../shared/dom.js";

const SIDES = ["start", "end"];
const HEADS = ["on screen", "to compare"];
// Of the three methods the one whose sum adds up; it takes a second or two longer than a gradient.
const FIRST = "integrated_gradients";

export function makeRests(on) {
  const view = { on, asked: "" };
  view.menu = menu("scores-bench-method", "method", (method) => ask(view, method));
  view.line = el("p.scores-line", el("label[for=scores-bench-method]", "method"), view.menu.select);
  view.out = el("div");
  view.root = el(
    "section.scores-rests",
    { "aria-label": "What the two scores rested on" },
    el("h3", "What each score rested on"),
    view.line,
    view.out,
  );
  return { root: view.root, update: (bench) => update(view, bench) };
}

function ask(view, method) {
  view.asked = view.key;
  view.on.input("rests", method);
}

// Asked for by itself, once for these two readings and spans; by hand where that failed.
function update(view, bench) {
  view.root.hidden = !bench;
  if (!bench) return;
  const { rests } = bench;
  view.key = JSON.stringify([
    bench.says,
    bench.sides.map((side) => [side.reader, side.question, side.window, side.span]),
  ]);
  view.line.hidden = !rests;
  const again = (method) => el("button.plain", { onclick: () => ask(view, method) }, "try again");
  if (!rests) {
    put(view.out, el("p.role-quiet[role=status]", "Waiting for the reader. ", again(FIRST)));
    if (view.asked !== view.key) ask(view, FIRST);
    return;
  }
  view.menu.update(rests.methods, rests.method);
  const refused = rests.refused.map((said, k) => said && el("p", el("b", `${HEADS[k]}: `), said));
  const said = [el("p.scores-says", rests.says), rests.rows.length > 0 && [key(), rows(rests)]];
  put(view.out, refused.some(Boolean) ? [refused, el("p", again(rests.method))] : said);
}

const key = () =>
  el(
    "p.scores-key",
    SIDES.map((side) => el("span", el(`i.scores-swatch.${side}`), `${side} part`)),
    el(
      "span",
      "filled: supports the score; hollow: speaks against it; bars to one scale, in logits",
    ),
  );

function rows({ rows: list, absent }) {
  const most = Math.max(
    1e-9,
    ...list.flatMap((row) => row.lanes.flatMap((two) => (two ?? []).map(Math.abs))),
  );
  const cell = (one, k) =>
    one.lanes[k] === null
      ? el("span.role-quiet", absent[k])
      : el("span.scores-pair", bars(one.lanes[k], most), el("span.tabular", one.sums[k]));
  const name = (one) => [
    el("bdi.read-token", one.name),
    one.in === "question" ? el("span.role-quiet", " question") : null,
  ];
  return grid("table.scores-words", {
    label: "The words that the two scores rested on",
    caption:
      `the words with the largest effect on one side or the other, in the order of the text; ` +
      `every word stands in the table below`,
    head: ["word", ...HEADS],
    rows: list.map((one) => row(name(one), [cell(one, 0), cell(one, 1)])),
  });
}

function bars(two, most) {
  return el(
    "span.scores-two[aria-hidden=true]",
    two.map((x, k) =>
      el(
        "span.scores-half",
        el("span", {
          class: `${SIDES[k]} ${x < 0 ? "negative" : "positive"}`,
          style: { width: `${(Math.abs(x) / most) * 50}%`, [x < 0 ? "right" : "left"]: "50%" },
        }),
      )
    ),
  );
}
