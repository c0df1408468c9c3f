// Chapter 9, step 2: what the target rested on. Start part above the words, end part below; filled
// supports, hollow speaks against.

import { menu } from "../shared/controls.js";
import { el, fold, press, put, sign, svg, table } from "../shared/dom.js";
import { floats } from "../shared/pack.js";
import { spanFor } from "../shared/keys.js";
import { missing, signed } from "./parts.js";
import { sheet, sumOf } from "./sheet.js";
import { words } from "./words.js";

// Few steps of the path give a first picture at once; all of them refine it in place.
const REFINED = "integrated_gradients";

export function draw(root, model, held) {
  if (!held.made) make(root, held);
  held.model = model;
  const { choice, picture, need } = model;
  const { menus } = picture;
  held.target.update(menus.target, choice.kind);
  held.method.update(menus.method, choice.method);
  held.baseline.update(menus.baseline, choice.baseline);
  held.baseline.root.hidden = choice.method !== "integrated_gradients";
  held.contrast.hidden = choice.kind !== "span_minus_other";
  const other = contrast(model);
  const listed = menus.other.map(([start, end, text]) => [`${start} ${end}`, text]);
  if (other && !listed.some(([value]) => value === other.join(" "))) {
    const name = quoted(model, other);
    const twice = listed.some(([, text]) => text === name);
    const pos = model.w.pos(other[0]);
    listed.unshift([other.join(" "), twice ? `${name} at position ${pos}` : name]);
  }
  held.other.update(listed, other?.join(" ") ?? "");
  press(held.pick, held.picking);
  held.picks.textContent = held.picking ? "now choose the other span in the text" : "";

  const request = { what: "attribution", span: true, target: true, method: choice.method };
  const few = { ...request, more: { few: true } };
  const first = choice.method === REFINED && !model.has(request) ? need(few) : null;
  const found = first?.error ? first : need(request); // nobody wants to refine what was cancelled
  const drawn = found?.data ?? (found?.error ? null : first?.data);
  const asked = first?.error ? few : request;
  put(held.missing, !drawn && missing(model, asked, found, words.coming_rested));
  held.body.hidden = !drawn;
  if (drawn) drawLanes(held, drawn, !found?.data);
  drawQuestion(held);
}

function make(root, held) {
  held.made = true;
  const choose = (change) => held.model.choose(change);
  held.target = menu("why-target", "target", (kind) => choose({ kind }));
  held.method = menu("why-method", "method", (method) => choose({ method }));
  held.baseline = menu("why-baseline", "baseline", (baseline) => choose({ baseline }));
  held.other = menu(
    "why-other",
    "other span",
    (value) => choose({ other: value.split(" ").map(Number) }),
  );
  held.pick = el("button.act#why-pick", {
    onclick: () => {
      held.picking = !held.picking;
      held.model.repaint();
    },
  }, "choose it in the text");
  held.picks = el("span.role-quiet[role=status]");
  held.contrast = el("span.controls", held.other.root, held.pick, held.picks);
  held.words = el("input#why-by-word[type=checkbox]", {
    checked: true,
    onchange: () => held.model.repaint(),
  });
  held.missing = el("div");
  held.first = el("p.role-quiet.steps-line[role=status]");
  held.sums = el("div.sums.tabular");
  held.sheet = sheet();
  held.readout = el("p.readout.tabular");
  held.question = el("div");
  const key = (name, text) => sign([14, 14], svg(`rect.bar.${name}`, [4, 2, 6, 11]), text);
  held.body = el(
    "div",
    held.first,
    el(
      "p.legend",
      key("start", "start: supports"),
      key("start against", "against"),
      key("end", "end: supports"),
      key("end against", "against"),
    ),
    held.sheet.root,
    held.readout,
    held.sums,
  );
  root.replaceChildren(
    el("p.role-quiet", words.lanes_says),
    el(
      "div.controls",
      held.target.root,
      held.contrast,
      held.method.root,
      held.baseline.root,
      el("label", held.words, "sum to words"),
    ),
    held.missing,
    held.body,
    fold("Mask each question word in every window", held.question, { id: "why-question" }),
  );
}

/** The other span, doc: the one chosen, else the one Python took. */
function contrast({ choice, picture, chosen }) {
  if (choice.kind !== "span_minus_other") return null;
  const { target } = picture;
  const same = target.start === chosen.start && target.end === chosen.end;
  return choice.other ?? (same ? target.other : null);
}

const quoted = ({ page: { reading: { context, tokens } } }, [start, end]) =>
  `“${context.slice(tokens[start].start, tokens[end].end).trimEnd().slice(0, 40)}”`;

function drawLanes(held, data, first) {
  const { model } = held;
  const { page, w, seats, chosen } = model;
  if (held.drawn !== data) {
    Object.assign(held, {
      drawn: data,
      lanes: { start: floats(data.start), end: floats(data.end) },
    });
  }
  held.first.textContent = data.steps
    ? `From ${data.steps} steps of the path${first ? words.refining : "."}`
    : "";
  held.sums.replaceChildren(...data.sums.map((text) => el("p", text)));
  const other = contrast(model);
  const inside = (span) => span.every(w.holds);
  const marks = [{ ...chosen, kind: "selected" }];
  if (other && inside(other)) marks.push({ kind: "contrast", start: other[0], end: other[1] });
  held.sheet.draw({
    page,
    w,
    seats,
    above: held.lanes.start,
    below: held.lanes.end,
    kinds: { above: "start", below: "end" },
    names: { above: "start", below: "end" },
    byWord: held.words.checked,
    fold: { above: held.lanes.start, below: held.lanes.end },
    folded: "tokens without much effect, together",
    marks,
    label: words.lanes_hint,
    print: (x, peak) => signed(x, peak < 0.2 ? 3 : 2),
    point: (pos) => tell(held, pos),
    commit: (found, shift) => commit(held, found, shift),
  });
  if (!held.readout.textContent) tell(held, null);
}

function tell(held, pos) {
  const { model, lanes } = held;
  const { w, seats } = model;
  if (pos === null) {
    held.readout.textContent = words.lanes_hint;
    return;
  }
  const word = held.words.checked ? seats.of[pos] : -1;
  const sum = (lane) => (word < 0 ? lane[pos] : sumOf(lane, seats, word));
  held.readout.replaceChildren(
    el("bdi.read-token", w.tokens[pos]),
    ` (${pos}): `,
    el("span.role-start", `start ${signed(sum(lanes.start), 3)}`),
    ", ",
    el("span.role-end", `end ${signed(sum(lanes.end), 3)}`),
  );
}

function commit(held, found, shift) {
  const { model } = held;
  if (!found?.doc) {
    held.picking = false;
    model.repaint();
    return;
  }
  const { start, end } = found.doc;
  if (held.picking) {
    held.picking = shift;
    const before = shift ? contrast(model) : null;
    model.choose({
      other: before ? [Math.min(before[0], start), Math.max(before[1], end)] : [start, end],
    });
    return;
  }
  model.page.select({
    window: model.w.index,
    ...spanFor({ row: "word", first: start, last: end }, model.chosen, shift),
  });
}

function drawQuestion(held) {
  const { model, question } = held;
  const request = { what: "question", span: true, target: true };
  if (!model.wanted(request)) {
    question.replaceChildren(
      el("button.act#why-question-run", { onclick: () => model.want(request) }, "measure"),
    );
    return;
  }
  const found = model.need(request);
  put(question, found?.data ? table(found.data.table, model.page) : missing(model, request, found));
}
