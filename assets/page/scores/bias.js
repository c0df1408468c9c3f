// A bias by hand: c added to b_S or b_E. Every number is computed again from the moved logits, none
// is copied from before.

import { el, headRow, row, tableBox } from "../shared/dom.js";
import { changedHere } from "../shared/by_hand.js";
import { fixed, rounded } from "../shared/numbers.js";
import { softmax } from "../shared/pack.js";
import { bestPair, owning } from "../shared/pairs.js";

/** Everything that might move, of one pair: from logits that a bias may have moved. */
export function measure(w, start, end, pair, temperature, rule) {
  const [p, q] = [softmax(start, temperature), softmax(end, temperature)];
  const [ls, le] = [softmax(start), softmax(end)];
  const [i, j] = pair;
  const best = bestPair(w, start, end, rule);
  const nothing = start[w.clsAt] + end[w.clsAt];
  return {
    start: start[i],
    end: end[j],
    score: start[i] + end[j],
    nothing,
    pStart: p[i],
    pEnd: q[j],
    against: start[i] + end[j] - nothing,
    best: best && `${best[0]} to ${best[1]}`,
    loss: -(Math.log(ls[i]) + Math.log(le[j])) / 2,
  };
}

/** @type {[string, string, number | null][]} */
const ROWS = [
  ["start", "start_logit of the selected pair", 4],
  ["end", "end_logit", 4],
  ["score", "score", 4],
  ["nothing", "score of no answer", 4],
  ["pStart", "P(start)", 6],
  ["pEnd", "P(end)", 6],
  ["against", "score against no answer", 4],
  ["best", "winner, positions", null],
  ["loss", "loss, were it the label", 6],
];

const STILL = ["pStart", "pEnd", "against", "best", "loss"];
const digitsOf = new Map(ROWS.map(([name, , digits]) => [name, digits]));

function printed(m, name) {
  const digits = digitsOf.get(name) ?? null;
  return digits === null ? m[name] ?? "none" : fixed(m[name], digits);
}

/** Sums add up as printed: they are sums of the rounded logits. */
function addUp(m) {
  const at = (x) => rounded(x, 4);
  m.score = at(m.start) + at(m.end);
  m.against = m.score - at(m.nothing);
}

const sign = (/** @type {number} */ value) => value < 0 ? fixed(value) : `+${fixed(value)}`;

export function makeBias(moved) {
  /** @type {any} */
  const view = { shift: { start: 0, end: 0 } };
  const slider = (side, name) => {
    const id = `scores-bias-${side}`;
    const input = el("input[type=range][min=-3][max=3][step=0.05][value=0]", {
      id,
      oninput: () => set(side, Number(input.value)),
    });
    const shown = el("output.tabular", { for: id }, "+0.00");
    view[side] = { input, shown };
    const label = el("label", { for: id }, "add to ", el(`span.role-${side}`, name));
    return el("div.scores-lever", label, input, shown);
  };
  const set = (side, value) => {
    const before = view.shift[side];
    if (value === before) return;
    view.shift[side] = value;
    const { start, end } = view.shift;
    const words = [["b_S", start], ["b_E", end]].flatMap(([name, c]) =>
      c ? [`${name} ${sign(c)}`] : []
    );
    changedHere("bias", words.join(", "), { back: () => set(side, before), none });
    view[side].input.value = String(value);
    view[side].shown.textContent = sign(value);
    show(view);
    moved({ ...view.shift });
  };
  const none = () => {
    set("start", 0);
    set("end", 0);
  };
  view.rows = el("tbody");
  view.says = el("p.scores-says[role=status][aria-live=polite]");
  const root = el(
    "details.fold.scores-bias#scores-bias",
    el("summary", "move a bias"),
    slider("start", "b_S"),
    slider("end", "b_E"),
    el("button.plain", { onclick: none }, "reset"),
    view.says,
    tableBox(
      "What a bias moves and what it does not",
      el("table", headRow(["number", "as read", "with the bias", "moves?"]), view.rows),
    ),
  );
  return {
    root,
    update(model) {
      view.model = model;
      show(view);
    },
  };
}

function show({ model, shift, rows, says }) {
  if (!model) return;
  const { w, picture, page, chosen } = model;
  const pair = chosen ? [chosen.start, chosen.end] : picture.plane.best;
  if (!pair) {
    rows.replaceChildren();
    says.textContent = "Select a span first.";
    return;
  }
  const rule = { longest: picture.longest, owns: owning(page.reading, w, picture.copies) };
  const temperature = page.reading.temperature ?? 1;
  const [before, after] = [{ start: 0, end: 0 }, shift].map((more) => {
    const [s, e] = ["start", "end"].map((side) =>
      Float64Array.from(w[side], (x) => x + more[side])
    );
    const found = measure(w, s, e, pair, temperature, rule);
    addUp(found);
    return found;
  });
  const list = ROWS.map(([name, title]) => {
    const [a, b] = [printed(before, name), printed(after, name)];
    return { name, title, a, b, moves: a !== b };
  });
  rows.replaceChildren(
    ...list.map(({ title, a, b, moves }) =>
      row(title, [a, b, moves ? "moves" : "stays"], moves && "scores-moves")
    ),
  );
  const moving = list.filter(({ moves }) => moves);
  const only = moving.some(({ name }) => STILL.includes(name))
    ? ""
    : "; no probability, winner or loss is among those that move";
  says.textContent = shift.start || shift.end
    ? `All ${2 * w.n} logits of this window have been computed again with the bias: ` +
      `${moving.length} of these numbers move, ${list.length - moving.length} stay${only}.`
    : "Drag a slider: every dot moves, and the axes stay.";
}
