// The n best spans: a table whose rows select.

import { el, press, put, roving } from "../shared/dom.js";
import { apart } from "../shared/labels.js";
import { textOf } from "../shared/store.js";

const COLUMNS = [
  ["#", "rank"],
  ["span", "text"],
  ["window", "window"],
  ["s", "s", "role-start"],
  ["e", "e", "role-end"],
  ["score", "score", "role-strong"],
  ["against no answer", "against"],
  ["in window", "in_window"],
  ["share", "share"],
];

const MORE = ["against", "in_window", "share"];
/** Whether the last columns are shown: kept through redraws. */
let complete = false;

/** A narrow screen shows the score beside the span, its addends after it. */
function columns(page, picture) {
  const all = COLUMNS.filter(([, key]) =>
    (key !== "window" || picture.windows > 1) && (complete || !MORE.includes(key))
  );
  const after = (/** @type {string[]} */ [, key]) =>
    Number(!["rank", "text", "score"].includes(key));
  return page.narrow ? all.toSorted((a, b) => after(a) - after(b)) : all;
}

const cell = (row, key) => key === "window" ? row.window + 1 : row[key];

function tableRow(page, picture, row) {
  const name = () => el("button.row-select", { title: textOf(row) }, el("bdi", textOf(row)));
  const part = (/** @type {string[]} */ [, key, role]) =>
    key === "text" ? el("th[scope=row]", name()) : el("td", { class: role }, cell(row, key));
  const span = `${row.window} ${row.start} ${row.end}`;
  return el(
    "tr",
    { onclick: () => page.select(row), dataset: { span } },
    columns(page, picture).map(part),
  );
}

const head = (/** @type {string[]} */ [name, key, role]) =>
  el("th[scope=col]", { class: key === "score" ? null : role }, name);

/** `again` draws the list with other columns. */
export function drawList(root, picture, page, again) {
  const texts = picture.n_best.map((row) => textOf(row));
  const body = el("tbody", picture.n_best.map((row) => tableRow(page, picture, row)));
  roving(body, ".row-select", { horizontal: false });
  const box = el(
    "div.spans-n-best[tabindex=0][role=region]",
    { "aria-label": "n best spans, a row selects" },
    el("table", el("thead", el("tr", columns(page, picture).map(head))), body),
  );
  const turn = () => {
    complete = !complete;
    again();
    root.querySelector(".spans-columns button")?.focus();
  };
  put(
    root,
    picture.n_best.length ? box : el("p.role-quiet", "No legal span."),
    picture.ranked_by && el("p.role-quiet", picture.ranked_by),
    el(
      "p.spans-columns",
      el("button.plain", { "aria-pressed": complete, onclick: turn }, "all columns"),
      complete && toLoss(),
    ),
  );
  fitNames(body, texts);
  return body;
}

// As many signs as the column holds: a name cut by the browser would lose what tells it apart.
function fitNames(body, texts) {
  const buttons = [...body.querySelectorAll(".row-select")];
  if (!buttons.length || !buttons[0].clientWidth) return;
  const put = (most) =>
    apart(texts, most).forEach((name, k) => {
      buttons[k].firstChild.textContent = name;
    });
  const wide = () => buttons.some((b) => b.scrollWidth > b.clientWidth + 1);
  let [low, high] = [6, Math.max(6, ...texts.map((text) => text.length))];
  while (low < high) { // the most that fits
    const middle = Math.ceil((low + high) / 2);
    put(middle);
    if (wide()) high = middle - 1;
    else low = middle;
  }
  put(low);
}

/** The bridge to training, the other way round than in chapter 5. */
function toLoss() {
  const tab = document.getElementById("tab-loss");
  return tab &&
    el(
      "button.plain",
      { onclick: () => tab.click() },
      "“in window” = exp(−2 · loss) at temperature 1 if the pair were the label: see chapter 5",
    );
}

export function moveList(body, page) {
  const chosen = page.selection;
  for (const row of body.children) {
    const on = Boolean(chosen) &&
      row.dataset.span === `${chosen.window} ${chosen.start} ${chosen.end}`;
    row.classList.toggle("chosen", on);
    press(row.querySelector("button"), on);
  }
}
