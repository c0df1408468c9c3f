// The n best spans: a table whose rows select, and the same spans as nested bars under one line of
// text.

import { drawing, el, fold, press, roving, svg } from "../shared/dom.js";
import { apart } from "../shared/labels.js";
import { same, textOf } from "../shared/store.js";
import { layLine, lineText } from "./text.js";

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
const BARS = 6;

const MORE = ["against", "in_window", "share"];
/** Whether the last columns are shown: kept through redraws. */
let complete = false;

/** A narrow screen shows the score beside the span, its addends after it. */
function columns(page, picture) {
  const all = COLUMNS.filter(([, key]) =>
    (key !== "window" || picture.windows > 1) && (complete || !MORE.includes(key))
  );
  const first = ["rank", "text", "score"];
  return page.narrow
    ? [
      ...all.filter(([, key]) => first.includes(key)),
      ...all.filter(([, key]) => !first.includes(key)),
    ]
    : all;
}

/** All rows have two decimals; where the printed addends miss their sum it is about equal. */
const cell = (row, key) =>
  key === "window"
    ? row.window + 1
    : key === "score" && row.sign !== "="
    ? `${row.sign} ${row.score}`
    : row[key];

function tableRow(page, picture, row) {
  const go = () => page.select({ window: row.window, start: row.start, end: row.end });
  return el(
    "tr",
    { onclick: go, dataset: { span: `${row.window} ${row.start} ${row.end}` } },
    columns(page, picture).map(([, key, role]) => (key === "text"
      ? el(
        "th[scope=row]",
        el("button.row-select", { title: textOf(row) }, el("bdi", textOf(row))),
      )
      : el("td", { class: role }, cell(row, key)))
    ),
  );
}

/** Whether the second picture of the list is open: kept through redraws. */
let opened = false;

/** `again` draws the list with other columns. */
export function drawList(root, picture, page, again) {
  const texts = picture.n_best.map((row) => textOf(row));
  const body = el("tbody", picture.n_best.map((row) => tableRow(page, picture, row)));
  roving(body, ".row-select", { horizontal: false });
  const box = el(
    "div.spans-n-best[tabindex=0][role=region]",
    { "aria-label": "n best spans, a row selects" },
    el(
      "table",
      el(
        "thead",
        el(
          "tr",
          columns(page, picture)
            .map(([name, key, role]) =>
              el("th[scope=col]", { class: key === "score" ? null : role }, name)
            ),
        ),
      ),
      body,
    ),
  );
  const bars = el("div.spans-bars");
  const more = fold("the spans under one line of text", bars, { open: opened });
  more.addEventListener("toggle", () => {
    opened = more.open;
    if (opened) nested(bars, picture, page);
  });
  root.replaceChildren(
    ...[
      picture.n_best.length ? box : el("p.role-quiet", "No legal span."),
      picture.ranked_by ? el("p.role-quiet", picture.ranked_by) : null,
      el(
        "p.spans-columns",
        el("button.plain", {
          "aria-pressed": complete,
          onclick: () => {
            complete = !complete;
            again();
            root.querySelector(".spans-columns button")?.focus();
          },
        }, "all columns"),
        complete ? toLoss() : null,
      ),
      more,
    ].filter(Boolean),
  );
  fitNames(body, texts);
  return { root, body, bars };
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

export function moveList(view, picture, page) {
  const chosen = page.selection;
  for (const row of view.body.children) {
    const on = Boolean(chosen) &&
      row.dataset.span === `${chosen.window} ${chosen.start} ${chosen.end}`;
    row.classList.toggle("chosen", on);
    press(row.querySelector("button"), on);
  }
  nested(view.bars, picture, page);
}

/**
 * The spans that share text with the selected one, under its line: where two bars differ is where
 * they end.
 */
function nested(root, picture, page) {
  const focus = page.selection ?? picture.n_best[0];
  if (!focus) {
    root.replaceChildren();
    return;
  }
  const near = picture.n_best.filter((row) => row.start <= focus.end && row.end >= focus.start)
    .slice(0, BARS);
  const others = near.filter((row) => !same(row, page.selection)).length;
  if (page.selection && others === near.length) near.unshift({ ...page.selection, rank: "\u2013" });
  const { scale } = page;
  const width = Math.floor(root.clientWidth || 300);
  const from = Math.max(0, Math.min(focus.start, ...near.map((r) => r.start)) - 2);
  const to = Math.min(
    page.reading.tokens.length - 1,
    Math.max(focus.end, ...near.map((r) => r.end)) + 2,
  );
  const line = layLine(page, from, to, 16 * scale);
  const gutter = 22 * scale;
  const room = width - gutter;
  const [a, b] = line.glyphs(focus.start, focus.end);
  const shift = line.total <= room
    ? -gutter
    : Math.min(Math.max((a + b) / 2 - room / 2, 0), line.total - room) - gutter;
  const pitch = 17 * scale;
  const top = 32 * scale;
  const bars = near.map((row, k) =>
    bar(page, line, row, {
      y: top + k * pitch,
      shift,
      gutter,
      width,
      scale,
      on: same(row, page.selection),
    })
  );
  const clip = "spans-bars-clip";
  const height = top + (BARS + 1) * pitch + 2; // as for the most bars: nothing below moves
  root.replaceChildren(
    el(
      "p.role-quiet",
      others
        ? "The listed spans that share words with the selected one"
        : "No other listed span shares words with the selected one",
    ),
    drawing(
      width,
      height,
      { "aria-hidden": "true" },
      svg("clipPath", { id: clip }, svg("rect", [gutter, 0, room, height])),
      svg("g", { "clip-path": `url(#${clip})` }, lineText(line, 18 * scale, shift, width)),
      bars,
    ),
  );
}

function bar(page, line, row, { y, shift, gutter, width, scale, on }) {
  const [a, b] = line.glyphs(row.start, row.end).map((x) => x - shift);
  const [left, right] = [Math.max(a, gutter), Math.min(b, width)];
  const flip = line.rtl;
  const cap = (
    x,
    role,
  ) => (x >= gutter - 0.5 && x <= width + 0.5
    ? svg(`path.cap.${role}-line`, `M${x},${y - 5 * scale}v${10 * scale}`)
    : null);
  return svg(
    "g",
    {
      class: on ? "nested chosen" : "nested",
      onclick: () => page.select({ window: row.window, start: row.start, end: row.end }),
    },
    svg("rect.target", [0, y - 8 * scale, width, 16 * scale]),
    svg("text.quiet", [gutter - 8 * scale, y + 4 * scale, "end"], row.rank),
    right > left ? svg("path.bar", `M${left},${y}H${right}`) : null,
    cap(flip ? b : a, "start"),
    cap(flip ? a : b, "end"),
  );
}
