// Step 3 of chapter 8: what is thrown away and what stays, and whether it helps.

import { along, through, upwards } from "../shared/axes.js";
import { drawing, el, fold, glued, subs, svg, table } from "../shared/dom.js";
import { max, min, scaleLinear, ticks } from "../shared/scales.js";

const block = (name, says, kind, tag) =>
  el(`div.block.${kind}`, el("strong", name), el("span", says), tag && el("em", tag));

// Two stacks: the encoder stands at the same height in both, since it is the same encoder.
const road = () => {
  const stack = (title, loss, heads, says) =>
    el(
      "section.stack",
      el("h3", title),
      el("div.heads", heads),
      block("encoder", says, "stays"),
      el("p.stack-loss", loss),
    );
  return el(
    "div.road",
    stack(
      "pre-training",
      subs("L = L_MLM + L_SBO"),
      [
        block(
          "masked language model (MLM) head",
          "vocabulary from the blank's own vector",
          "gone",
          "thrown away",
        ),
        block(
          "span boundary objective (SBO) head",
          "vocabulary from x(s−1), x(e+1) and a position",
          "gone",
          "thrown away",
        ),
      ],
      "word pieces in, one vector a piece out",
    ),
    el("div.road-arrow", el("span", "the encoder stays"), el("span.arrow[aria-hidden=true]", "→")),
    stack(
      "fine-tuning for reading",
      subs("L = (L_start + L_end) / 2"),
      block("S and E", "one start and one end vector, random at first", "new", "new"),
      "the same weights, tuned further",
    ),
  );
};

// Each start is a row of dots, one a seed, with a tick at their mean.
function starts(rows, page, width) {
  const size = page.scale;
  const all = rows.flatMap((r) => r.f1);
  const [low, high] = [Math.floor(min(all) - 0.5), Math.ceil(max(all) + 0.5)];
  const [left, right, line] = (page.narrow ? [10, 40, 46] : [170, 40, 30]).map((n) => n * size);
  const wide = Math.min(width, 640 * size);
  const tall = rows.length * line + 34 * size;
  const x = scaleLinear([low, high], [left, wide - right]);
  const marks = ticks(x, { room: (wide - left - right) / 7, em: 16 * size, least: 1 });
  return drawing(
    wide,
    tall,
    {
      role: "img",
      "aria-label": "F1 of every seed from each variant; the numbers stand in the table",
    },
    along(
      marks.map(({ at, text }, k) => ({ at, text: k === marks.length - 1 ? `${text} F1` : text })),
      4 * size,
      tall - 26 * size,
      tall - 12 * size,
    ),
    rows.map((r, k) => {
      const y = k * line + (page.narrow ? 32 : 18) * size;
      return [
        svg(
          "text",
          page.narrow ? [0, y - 14 * size] : [left - 12 * size, y + 4 * size, "end"],
          r.name,
        ),
        svg(
          "path.rule-ink",
          `M${x(min(r.f1))},${y}H${x(max(r.f1))}M${x(r.mean)},${y - 8 * size}v${16 * size}`,
        ),
        r.f1.map((v) => svg("circle.hollow.seed-dot", [x(v), y, 4.5 * size])),
      ];
    }),
  );
}

// Top-1 of MLM (dots) and SBO (rings) over a few groups.
function panel({ title, rows }, page, width) {
  const size = page.scale;
  const names = page.narrow ? title.split(/(?<=,) /) : [title];
  const [left, right, top] = [34 * size, 10 * size, 12 * size];
  const bottom = (23 + 15 * names.length) * size;
  const [wide, tall] = [Math.max(240, width), (185 + 15 * names.length) * size];
  const x = (k) => left + ((wide - left - right) * (k + 0.5)) / rows.length;
  const most = 1.08 * max(rows.flatMap(({ mlm, sbo }) => [mlm, sbo]));
  const y = scaleLinear([0, most], [tall - bottom, top]);
  const head = (key, mark) => [
    svg(`path.rule-ink.${key}-line`, through(rows.map((r, k) => [x(k), y(r[key])]))),
    rows.map((r, k) => svg(mark, [x(k), y(r[key]), 4 * size])),
  ];
  const below = (text, at, height) => svg("text.quiet", [at, height, "middle"], text);
  return drawing(
    wide,
    tall,
    {
      role: "img",
      "aria-label": `Top-1 of MLM and SBO by ${title}; the numbers stand in the table`,
    },
    upwards(ticks(y, { room: 36 * size }), left, wide - right, left - 6 * size, 4 * size),
    head("mlm", "circle.ink"),
    head("sbo", "circle.hollow.seed-dot"),
    rows.map((r, k) => below(r.name.replace("over ", ">"), x(k), tall - bottom + 16 * size)),
    names.map((name, k) =>
      below(name, (left + wide - right) / 2, tall - 3 - (names.length - 1 - k) * 15 * size)
    ),
  );
}

/** Which parts are open: kept through redraws. */
const opened = new Set();

/** A part of this step behind its title. */
function part(kind, title, ...content) {
  const ontoggle = ({ currentTarget: { open } }) => opened[open ? "add" : "delete"](title);
  const about = { open: opened.has(title), ontoggle };
  return fold(title, el("section", { class: kind }, content), about);
}

export function drawClosing(root, { ablation, scores }, page) {
  const width = root.clientWidth;
  const half = page.narrow ? width : Math.min(560 * page.scale, (width - 32) / 2);
  root.replaceChildren(
    el(
      "div.closing",
      road(),
      el(
        "div.folds",
        part(
          "helps",
          "does it help a reader?",
          el("p.spanbert-says", glued(ablation.budget)),
          starts(ablation.rows, page, width),
          el("p.spanbert-says", glued(ablation.says)),
          ablation.tables.map((t) => table(t, page)),
          el("div.paper-tables", ablation.paper.map((t) => table(t, page))),
          el("p.role-quiet", `Source: ${ablation.source}.`),
        ),
        part(
          "scores",
          "what our pre-training reached",
          el("p.spanbert-says", glued(scores.says)),
          el("p.role-quiet", "Top-1 in %. Dots: MLM. Rings: SBO."),
          el("div.panels", scores.panels.map((p) => panel(p, page, half))),
        ),
      ),
    ),
  );
}
