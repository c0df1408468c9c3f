// Under the figure of step 2: the boundary head's arithmetic for one blank, and the loss term by
// term, with both denominators.

import { el, headRow, tableBox } from "../shared/dom.js";
import { addend } from "../shared/numbers.js";

const cells = (list) => list.map((c) => el("td", c));

export function arithmetic({ steps, blank }) {
  if (!steps) return [];
  const { rows, squares, product, log } = steps;
  return [
    tableBox(
      "every vector on the way",
      el(
        "table.tabular",
        el("caption", `Blank ${blank.k}: every vector on the way to its guess`),
        headRow(["vector", "what it is", "shape", "norm", "mean", "sd"]),
        el(
          "tbody",
          rows.map((r) =>
            el(
              "tr",
              el("th.symbol", { scope: "row" }, r.name),
              cells([r.what, r.shape, r.norm, r.mean, r.spread]),
            )
          ),
        ),
      ),
    ),
    el(
      "p.tabular",
      "The three parts of h₀ in squared norms: ",
      squares.addends.map((x, k) => addend(x, k === 0)),
      ` ${squares.sign} `,
      el("strong", squares.total),
      ".",
    ),
    tableBox(
      "the last product",
      el(
        "table.tabular",
        el(
          "caption",
          "logit of the true piece ",
          el("bdi.serif", blank.token),
          " = E_word · y + b, with the word vector that the input layer uses too",
        ),
        headRow([
          "",
          ...product.dimensions.map((d) => `dim ${d}`),
          `${product.others} others`,
          "bias b",
          "logit",
        ]),
        el(
          "tbody",
          el("tr", el("th", { scope: "row" }, "E_word"), cells([...product.word, "", "", ""])),
          el("tr", el("th", { scope: "row" }, "y"), cells([...product.y, "", "", ""])),
          el(
            "tr",
            el("th", { scope: "row" }, "product"),
            cells([...product.products, product.rest, product.bias]),
            el("td", el("strong", product.logit)),
          ),
        ),
      ),
    ),
    el(
      "p.tabular",
      "−log p = log Z − logit, with Z over the whole vocabulary: ",
      [log.log_z, log.logit.startsWith("−") ? `+ ${log.logit.slice(1)}` : `− ${log.logit}`].join(
        " ",
      ),
      ` ${log.sign} `,
      el("strong", log.loss),
      ".",
    ),
  ];
}

function runRows(run) {
  const sign = (s) => (s === "=" ? "" : `${s} `);
  return [
    ...run.rows.map((r) =>
      el(
        "tr",
        el("th", { scope: "row" }, `${r.k} `, el("bdi.serif", r.piece)),
        cells([r.mlm, r.sbo ?? "no term", `${sign(r.sign)}${r.sum}`]),
      )
    ),
    el(
      "tr.subtotal",
      el("th", { scope: "row" }, run.name),
      cells([
        `${sign(run.sign)}${run.mlm}`,
        run.rows.some((r) => r.sbo) ? `${sign(run.sbo_sign)}${run.sbo}` : "no term",
        `${sign(run.sum_sign)}${run.sum}`,
      ]),
    ),
  ];
}

export function losses({ loss }) {
  const { code, paper } = loss;
  const why = [...new Set(loss.runs.flatMap((run) => run.rows.map((r) => r.why)).filter(Boolean))];
  return [
    tableBox(
      "the loss, blank by blank",
      el(
        "table.tabular",
        el("caption", "−log p of the true piece, in nats"),
        headRow(["blank", "MLM", "SBO", "sum"]),
        el("tbody", loss.runs.flatMap(runRows)),
      ),
    ),
    why.length ? el("p.role-quiet", "No SBO term: ", why.join("; "), ".") : null,
    el(
      "p.tabular",
      "The paper adds up everything: L = Σ (−log P(x",
      el("sub", "i"),
      " | x",
      el("sub", "i"),
      ") − log P(x",
      el("sub", "i"),
      " | y",
      el("sub", "i"),
      ")) = ",
      paper.addends.map((x, k) => addend(x, k === 0)),
      ` ${paper.sign} `,
      el("strong", paper.total),
      ".",
    ),
    el(
      "p.tabular",
      `Its code takes two means with two denominators: MLM over the M = ${code.blanks} ` +
        `blanks, ${code.mlm.sum} / ${code.mlm.over} ≈ ${code.mlm.mean}; SBO over the S = ` +
        `${code.targets} targets and one more, ${code.sbo.sum} / (${code.targets} + 1) ≈ ` +
        `${code.sbo.mean}. L = `,
      code.addends.map((x, k) => addend(x, k === 0)),
      ` ${code.sign} `,
      el("strong", code.total),
      `, SBO with weight ${code.weight}.`,
    ),
  ].filter(Boolean);
}
