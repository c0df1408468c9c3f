// The counterfactual bench: edit the question, the paragraph or the reader, and set the two
// readings side by side.

import { refuse } from "../shared/cause.js";
import { form, textBox } from "../shared/controls.js";
import { el, put, svg } from "../shared/dom.js";
import { fixed, place } from "../shared/numbers.js";
import { floats } from "../shared/pack.js";
import { makeRests } from "./rests.js";

/** Whether something is typed in a box; else the box says so. */
export function typed(box, name) {
  if (box.value.trim()) return true;
  refuse(box, `the ${name} is empty; type at least one word`);
  return false;
}

export function makeBench(on) {
  const view = { read: null };
  view.question = textBox("input#scores-bench-question");
  view.context = el("textarea#scores-bench-paragraph[rows=5][spellcheck=false]");
  view.reader = textBox("input#scores-bench-reader", { placeholder: "the reader in use" });
  const row = (id, name, box) => el("div.scores-field", el("label", { for: id }, name), box);
  const read = () => {
    if (!typed(view.question, "question") || !typed(view.context, "paragraph")) return;
    on.input("other", {
      question: view.question.value,
      context: view.context.value,
      reader: view.reader.value,
    });
  };
  const boxes = form(
    "form.scores-form",
    read,
    row("scores-bench-question", "Question", view.question),
    row("scores-bench-paragraph", "Paragraph", view.context),
    row("scores-bench-reader", "Reader: a Hugging Face id, a folder, or nothing", view.reader),
    el(
      "div.scores-line",
      el("button.scores-button#scores-bench-read[type=submit]", "Read and compare"),
      el("button.plain", { onclick: () => fill(view, true) }, "as on screen"),
    ),
  );
  view.out = el("div");
  view.rests = makeRests(on);
  const root = el(
    "section.scores-bench",
    { "aria-label": "Two readings side by side" },
    el("h3", "What if? Two readings side by side"),
    boxes,
    view.out,
    view.rests.root,
  );
  let drawn = [];
  return {
    root,
    update(model) {
      view.page = model.page;
      fill(view, false);
      view.rests.update(model.picture.bench);
      const now = [model.picture.bench, model.width, model.page.scale, model.page.theme];
      if (drawn.length && drawn.every((x, k) => x === now[k])) return;
      drawn = now;
      const { bench } = model.picture;
      put(view.out, bench && [el("p.scores-says", bench.says), columns(bench, model)]);
    },
  };
}

/** The boxes follow the reading on screen until someone edits them; a new reading begins anew. */
function fill(view, again) {
  const { question, context } = view.page.reading;
  const read = `${question}\u0001${context}`;
  if (view.read === read && !again) return;
  view.read = read;
  view.question.value = question;
  view.context.value = context;
  if (again) view.reader.value = "";
}

function columns(bench, { page, width }) {
  const two = !page.narrow;
  const each = Math.floor(two ? (width - 32) / 2 : width);
  const most = Math.max(
    ...bench.sides.flatMap((side) => side.lanes.flatMap((lane) => Array.from(floats(lane.p)))),
  ); // both readings to one scale
  return el(
    "div",
    { class: two ? "scores-lanes two" : "scores-lanes" },
    bench.sides.map((side, k) => column(side, k, each, page.scale, most)),
  );
}

function column(side, k, width, scale, most) {
  return el(
    "section.scores-column",
    { "aria-label": k ? "to compare" : "on screen" },
    el(
      "p.role-quiet",
      k ? "to compare, read by " : "on screen, read by ",
      el("bdi", side.reader),
      side.windows > 1 ? `, window ${side.window + 1} of ${side.windows}` : "",
    ),
    el("p.scores-asked", el("bdi", side.question)),
    el(
      "p.scores-answer",
      side.answer === null ? "no answer" : el("bdi", side.answer),
      side.answer === null && side.span
        ? el("span.role-quiet", "; best span ", el("bdi", side.span))
        : null,
    ),
    el(
      "dl.four",
      side.numbers.map((n) =>
        el("div", el("dt", n.name), el("dd", el("span.value", n.value), el("div.over", n.over)))
      ),
    ),
    el(
      "div.scores-stems",
      side.lanes.map((lane) => stems(lane, width, scale, most)),
      el("p.role-quiet", `a stem of full height: ${most < 0.0005 ? "< 0.001" : fixed(most, 3)}`),
    ),
    side.lanes.map(told),
  );
}

function stems({ side, p, top }, width, scale, most) {
  const values = floats(p);
  const [height, base] = [54 * scale, side === "start" ? 52 * scale : 2];
  const x = (k) => 2 + ((k + 0.5) / values.length) * (width - 4);
  let d = "";
  values.forEach((v, k) => {
    if (v > 1 / values.length) {
      d += `M${place(x(k))},${base}v${
        place((side === "start" ? -1 : 1) * (v / most) * (height - 6))
      }`;
    }
  });
  return svg(
    "svg[role=img]",
    {
      width,
      height,
      "aria-label": `P(${side}) over ${values.length} positions: ${
        top.map(([t, q]) => `${t} ${q}`).join(", ")
      }`,
    },
    svg("line.rule", [0, base, width, base]),
    svg(`path.strip.${side}-strip`, d, { "stroke-width": 3 }),
  );
}

function told({ side, note, top }) {
  return el(
    "p.role-quiet",
    el(`span.role-${side}`, side),
    `: ${note}. `,
    top.map(([text, q, pos], k) => [k ? ", " : "", el("bdi.read-token", text), ` ${q} at ${pos}`]),
  );
}
