// Step 1: the selected token taken apart: three logits, three exponentials, three probabilities; on
// request the products.

import { el, grid, put, row, subs } from "../shared/dom.js";
import { needsPage } from "../shared/needs_page.js";
import { words } from "./words.js";

const NAMES = ["B", "I", "O"];

export const swatch = (k) => el(`span.swatch.tag-${NAMES[k].toLowerCase()}[aria-hidden=true]`);

function legend() {
  const says = ["B, begins an answer: solid", "I, inside: striped", "O, outside: paper"];
  return el("p.bio-legend", NAMES.map((_, k) => el("span", swatch(k), says[k])));
}

function numbers({ token }) {
  const owner = token.windows > 1 ? ` of window ${token.window + 1}, which owns it` : "";
  return grid("table.token-table.tabular", {
    label: `token ${token.piece}`,
    caption: ["token ", el("bdi.serif", token.piece), ` at position ${token.pos}${owner}`],
    head: ["tag", "logit", "exp(logit)", `÷ ${token.z} = p`],
    rows: NAMES.map((name, k) =>
      row([swatch(k), name], [token.logits[k], token.exps[k], el("strong", token.p[k])])
    ),
    foot: row("sum across the tags", [el("td[colspan=3]", token.sum)]),
  });
}

function products(found) {
  const head = [
    "product",
    ...found.dimensions.map((d) => `h${subscript(d)}`),
    `${found.others} others together`,
    "bias b",
    "logit",
  ];
  const line = (r) =>
    row(subs(`W_${r.tag} · h`), [...r.products, r.rest, r.bias, el("strong", r.logit)]);
  return grid("table.tabular.products", {
    caption: words.products,
    head,
    rows: [row("h", [...found.h, "", "", ""]), found.rows.map(line)],
  });
}

const subscript = (n) => [...String(n)].map((c) => "₀₁₂₃₄₅₆₇₈₉"[Number(c)]).join("");

function panel(stage, _picture, page) {
  const record = page.selection?.record;
  const found = record?.details?.bio;
  // Python has not answered yet: keep what stands
  if (page.selection && (!record || !found)) return;
  const fetch = el("button.boxed.plain#bio-products", {
    onclick: () => page.input("products", true),
  }, "products per dimension");
  const apart = () =>
    found.products
      ? products(found.products)
      : page.reading.saved
      ? el("p.role-quiet", needsPage(words.fetch_saved))
      : el("p", fetch, el("span.role-quiet", ` ${words.fetch_why}`));
  const none = "Choose a token: its logits and probabilities appear here.";
  put(stage, legend(), found?.token ? [numbers(found), apart()] : el("p.role-quiet", none));
}

export function draw(stage, picture, page) {
  if (stage.dataset.step !== "tags") stage.replaceChildren();
  stage.dataset.step = "tags";
  panel(stage, picture, page);
}

export const select = panel;
