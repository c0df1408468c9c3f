// Step 3: three annotators, their mean as target, the loss term by term, and the one-hot case.

import { choice } from "../shared/controls.js";
import { drawing, el, fold, grid, row, subs, svg } from "../shared/dom.js";
import { grouped } from "../shared/numbers.js";
import { swatch } from "./token.js";
import { words } from "./words.js";

export const rows = ({ loss }) =>
  loss.annotators.map(({ letters }, k) => ({ name: k + 1, letters }));

const spansOf = (marks) =>
  el(
    "span",
    { class: marks.length ? "serif marked" : "role-quiet marked" },
    marks.length ? marks.flatMap((m, k) => [k ? " · " : "", el("bdi", m.text)]) : "none",
  );

/** Three marks with their buttons, and the presets. */
function editor({ annotators }, page) {
  const button = (id, text, onclick, disabled = false) =>
    el("button.boxed.plain", { id: `bio-${id}`, disabled, onclick }, text);
  const mark = (who, extra = {}) => () => {
    const { start, end } = page.selection;
    page.input("mark", { who, start, end, ...extra });
  };
  const marks = (m, k) => [
    button(`mark-${k + 1}`, "mark the selection", mark(k), !page.selection),
    m.length && button(`more-${k + 1}`, "and this too", mark(k, { more: true }), !page.selection),
    button(`none-${k + 1}`, "none", () => page.input("mark", { who: k, start: null, end: null })),
  ];
  const preset = (name) =>
    button(
      `preset-${name}`,
      words[name],
      () => page.input("preset", name),
      name === "every" && !annotators.several,
    );
  return el(
    "section.editor",
    el(
      "ol",
      annotators.marks.map((m, k) =>
        el("li", el("span.who", `annotator ${k + 1}`), spansOf(m), marks(m, k))
      ),
    ),
    el(
      "p.presets",
      el("span.role-quiet", "Presets: "),
      ["example", "every", "agree", "disagree"].map(preset),
      el("span.role-quiet", annotators.named),
    ),
  );
}

const sumLine = (...parts) => el("p.bio-sum.tabular", parts);

function totals({ totals: t }) {
  return [
    sumLine(
      subs("L = −Σ_i Σ_j t_ij log p_ij = "),
      el("strong", t.loss),
      ` ${t.sign} `,
      el("span.floor-text", `H(t) ${t.floor}`),
      " + ",
      el("span", `KL ${t.divergence}`),
    ),
    el(
      "p.role-quiet.tabular",
      `${words.sum_note}: ${
        t.over === t.tokens
          ? `${t.loss} ÷ ${t.tokens} ≈ ${t.mean}`
          : `${t.mean} over ${t.over} tokens, copies included`
      }. Entropy of the model's own distributions: ${t.model_entropy}.`,
    ),
  ];
}

const tagHeads = () => ["B", "I", "O"].map((tag, k) => [swatch(k), tag]);

const otherTokens = (data, ...cells) =>
  data.others ? row(`the other ${grouped(data.others)} tokens`, cells) : null;
const token = (r, cells) => row(el("bdi.serif", r.token), cells);

/** A bound needs no equals sign: "= 0.012", but "< 0.001". */
const before = (text) => (text.startsWith("<") ? text : `= ${text}`);

function terms({ terms: data }) {
  const cell = (c) =>
    el(
      "td",
      { class: c.t === "0" ? "faded" : null },
      el("span.t", c.t),
      " · ",
      c.cost,
      c.t === "0" ? "" : el("span.role-quiet", ` ${before(c.value)}`),
    );
  return grid("table.tabular.terms", {
    label: "the loss term by term",
    caption: "t · (−log p) of each tag; ℓ = H(t) + KL",
    head: ["token", ...tagHeads(), "ℓ", "H(t)", "KL"],
    rows: [
      data.rows.map((r) =>
        token(r, [r.cells.map(cell), `${r.sign} ${r.loss}`, r.floor, r.divergence])
      ),
      otherTokens(data, el("td[colspan=3]"), data.rest, data.rest_floor, ""),
    ],
    foot: row("sum", [
      el("td[colspan=3]"),
      el("td", `${data.sign} `, el("strong", data.total)),
      `${data.floor === "0" ? "" : data.floor_sign} ${data.floor}`,
      data.divergence,
    ]),
  });
}

// The double sum in three stages: every term, the zeros gone, t = 1 dropped.
function oneHot(data, page, view) {
  const at = view.stageAt ?? 0;
  const stages = el(
    "p.stages[role=group]",
    { "aria-label": "Stage" },
    data.stages.map((s, k) =>
      el("button.boxed.plain", {
        id: `bio-stage-${k + 1}`,
        "aria-pressed": k === at,
        onclick: () => {
          view.stageAt = k;
          const next = oneHot(data, page, view);
          box.replaceWith(next);
          next.querySelector(`#bio-stage-${k + 1}`).focus();
        },
      }, `${k + 1} ${s.name}`)
    ),
  );
  const cell = (r, k) => {
    const gold = r.gold === k;
    if (!gold && at > 0) return el("td", el("span.gone[aria-hidden=true]", "·"));
    const share = at < 2 ? `${gold ? 1 : 0} · ` : "";
    return el(gold ? "td.stays" : "td.faded", `${share}${r.costs[k]}`);
  };
  const about = { id: "bio-one", "aria-label": "tagging of annotator" };
  const who = choice(about, [[0, 1], [1, 2], [2, 3]], data.annotator, (k) => page.input("one", k));
  const box = el(
    "div.one-hot",
    el("p", "tagging of annotator ", who),
    stages,
    el("p.bio-says", data.stages[at].says),
    grid("table.tabular", {
      label: words.onehot,
      caption: at < 2 ? "t · (−log p), tag by tag" : "−log p of the gold tag r(i)",
      head: ["token", ...tagHeads(), "p(gold)"],
      rows: [
        data.rows.map((r) =>
          token(r, [[0, 1, 2].map((k) => cell(r, k)), el("td.role-quiet", r.p)])
        ),
        otherTokens(data, el("td[colspan=3]", data.rest), ""),
      ],
    }),
    sumLine(
      subs("L = −Σ_i log p_{i,r(i)} = "),
      el("strong", data.loss),
      `   Σ log p = log Π p = ${data.likelihood}   Π p = ${data.product}`,
    ),
    line(data, page),
    el("p", words.sign_note),
  );
  return box;
}

// One number with both signs, on one line around 0.
function line(data, page) {
  const size = page.scale;
  const wide = Math.max(280, Math.min(640 * size, page.narrow ? innerWidth - 40 : Infinity));
  const reach = Math.max(data.value, 1e-3) * 1.25;
  const x = (v) => wide / 2 + (v / reach) * (wide / 2 - 8 * size);
  const dot = (v, name, text, filled) => [
    svg("circle", [x(v), 40 * size, 5 * size], { class: filled ? "ink" : "hollow-dot" }),
    svg("text", [x(v), 26 * size, "middle"], text),
    svg("text.quiet", [v < 0 ? 0 : wide, 62 * size, v < 0 ? "start" : "end"], name),
  ];
  const arrow = (side) => {
    const [back, half] = [4 * size * side, 3 * size];
    return svg(
      "path.rule-ink",
      `M${x(side * data.value * 0.8)},${40 * size}H${x(side * data.value * 0.35)}` +
        `m${back},${-half}l${-back},${half}l${back},${half}`,
    );
  };
  return drawing(
    wide,
    84 * size,
    {
      class: "both-signs",
      role: "img",
      "aria-label": `${words.line}: ${data.likelihood} and ${data.loss}`,
    },
    svg("path.rule", `M0,${40 * size}H${wide}M${x(0)},${32 * size}v${16 * size}`),
    svg("text.quiet", [x(0), 76 * size, "middle"], "0"),
    [-1, 1].map(arrow),
    dot(-data.value, "Σ log p: log-likelihood, maximise", data.likelihood, false),
    dot(data.value, "−Σ log p: loss, minimise", data.loss, true),
  );
}

export function draw(stage, picture, page, view) {
  stage.dataset.step = "annotators";
  const { loss } = picture;
  stage.replaceChildren(
    editor(picture, page),
    el("p.bio-legend", el("span", "hollow ticks: the target t"), el("span", words.loss_lane)),
    ...totals(loss),
    fold("the loss term by term", terms(loss), { id: "bio-terms" }),
    fold(words.onehot, oneHot(picture.one, page, view), { id: "bio-onehot" }),
  );
}

export function select(stage, _picture, page) {
  stage.querySelectorAll("[id^=bio-mark-], [id^=bio-more-]").forEach((button) => {
    button.disabled = !page.selection;
  });
}
