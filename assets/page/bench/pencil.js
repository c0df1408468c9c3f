// The exercise: four dimensions, five tokens, small whole numbers. Each number is checked when it
// is filled in; nothing is shown before.

import { refuse } from "../shared/cause.js";
import { textBox } from "../shared/controls.js";
import { el, grid, row } from "../shared/dom.js";

const UNREADABLE = "That is not a number; write for example -3 or 0.25.";

/** A number as people write it, or null. */
export function parse(text) {
  const clean = text.trim().replace(",", ".").replace("\u2212", "-");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(clean) ? Number(clean) : null;
}

const near = (value, wanted, decimals) =>
  Math.abs(value - wanted) < (decimals === 0 ? 1e-9 : 10 ** -decimals);

/** {state: empty, unreadable, right or wrong; slip}: what core.course.pencil says of the same text. */
export function check(cell, text) {
  if (!text.trim()) return { state: "empty" };
  const value = parse(text);
  if (value === null) return { state: "unreadable" };
  if (near(value, cell.value, cell.decimals)) return { state: "right" };
  const slip = cell.slips.find(([, wrong]) =>
    !near(wrong, cell.value, cell.decimals) && near(value, wrong, cell.decimals)
  );
  return { state: "wrong", slip: slip?.[0] ?? null };
}

export function makePencil(on) {
  const root = el("div.pencil");
  let shown = null;
  return {
    root,
    update(data) {
      const key = JSON.stringify([data.n, data.T, data.S, data.E]);
      if (key === shown) return;
      shown = key;
      build(root, data, on);
    },
  };
}

function build(root, data, on) {
  const cells = new Map(data.cells.map((c) => [c.name, c]));
  const right = new Set();
  const legal = new Set(data.pairs.map((pair) => pair.join(" ")));
  /** The cell that a hint is for: the one that had the focus last. @type {any} */
  let asked = data.cells[0];
  const said = el("p.pencil-says[role=status][aria-live=polite]");
  const count = el("span.tabular.role-quiet");
  const tally = () => {
    count.textContent = `${right.size} of ${data.cells.length} cells are right`;
  };
  const input = (name) => {
    const cell = cells.get(name);
    const hint = cell.decimals ? `, to ${cell.decimals} decimals` : "";
    const box = textBox("input[inputmode=decimal]", {
      "aria-label": cell.asks + hint,
      title: cell.asks + hint,
      id: `pencil-cell-${name}`,
      onfocus: () => {
        asked = cell;
      },
    });
    box.addEventListener("change", () => {
      const { state, slip } = check(cell, box.value);
      box.dataset.state = state;
      box.setAttribute("aria-invalid", String(["wrong", "unreadable"].includes(state)));
      if (state === "right") right.add(name);
      else right.delete(name);
      refuse(box, state === "unreadable" ? UNREADABLE : "");
      said.textContent = {
        right: `Right: ${cell.asks}.`,
        wrong: `Not yet: ${slip ?? cell.asks + hint}.`,
      }[state] ?? "";
      tally();
    });
    return box;
  };
  const signed = (b) => (b < 0 ? `\u2212 ${-b}` : `+ ${b}`);
  const plain = (v) => String(v).replace("-", "\u2212");
  const lane = (side, big, small, vector, bias) => [
    el(
      "p",
      el(`span.role-${side}`, `${big} = (${vector.map(plain).join(", ")})`),
      `, bias ${plain(bias)}. ${small} = ${big} · T ${
        signed(bias)
      }; P = exp(${small}) over the sum of all five.`,
    ),
    grid("table", {
      label: `${side} logits by hand`,
      head: [
        "token",
        ...vector.map((_, k) => `${big}[${k + 1}] · T[${k + 1}]`),
        small,
        `P(${side})`,
      ],
      rows: data.tokens.map((token, i) =>
        row(token, [
          vector.map((_, k) => input(`product_${side}_${i}_${k}`)),
          input(`logit_${side}_${i}`),
          input(`prob_${side}_${i}`),
        ])
      ),
    }),
  ];
  root.replaceChildren(
    el(
      "p.pencil-says",
      `A whole reader in ${data.tokens.length} vectors of ${data.S.length} numbers. ` +
        `Compute, type, leave the cell: each is checked at once. Gold is ${
          data.tokens[data.gold[0]]
        } to ${data.tokens[data.gold[1]]}.`,
    ),
    el(
      "p.pencil-line",
      count,
      el("button.plain#pencil-hint", {
        onclick: () => {
          said.textContent = `${asked.asks}: ${asked.hint}.`;
        },
      }, "hint"),
      el(
        "button.plain#pencil-exercise",
        { onclick: () => on.exercise(data.n + 1) },
        "another exercise",
      ),
      el(
        "button.plain#pencil-lay",
        { onclick: () => on.lay(data.n) },
        "put its logits on the bench",
      ),
    ),
    said,
    grid("table", {
      label: "T of the five tokens",
      head: ["token number", "token", ...data.S.map((_, k) => `T[${k + 1}]`)],
      rows: data.T.map((of, i) =>
        row(el("td", i), [el("th[scope=row]", data.tokens[i]), of.map(plain)])
      ),
    }),
    el(
      "div.pencil-hands",
      el("div", lane("start", "S", "s", data.S, data.bias[0])),
      el("div", lane("end", "E", "e", data.E, data.bias[1])),
    ),
    el(
      "p",
      "Every legal pair: score = s of the start (row) + e of the end (column). No answer " +
        "takes both from [CLS].",
    ),
    grid("table", {
      label: "Scores of all legal pairs by hand",
      head: ["start \\ end", ...data.tokens.slice(1)],
      rows: data.tokens.slice(1).map((token, i) =>
        row(
          token,
          data.tokens.slice(1).map((_, j) =>
            legal.has(`${i + 1} ${j + 1}`) ? input(`score_${i + 1}_${j + 1}`) : "\u2013"
          ),
        )
      ),
    }),
    el("p.pencil-line", el("span", "score of no answer:"), input("score_null")),
    el(
      "p.pencil-line",
      el("span", "best pair, token numbers:"),
      input("best_start"),
      el("span", "to"),
      input("best_end"),
      el("span", "loss of the gold pair, the mean of the two \u2212log P:"),
      input("loss"),
    ),
  );
  tally();
}
