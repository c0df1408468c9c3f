// Step 2, candidates: the best spans of every window on one axis of logits, beside the window's own
// null score.

import { along } from "../shared/axes.js";
import { drawing, el, focusIn, press, pressed, roving, svg } from "../shared/dom.js";
import { key, saying } from "./key.js";
import { clipped } from "../shared/prose.js";
import { scaleLinear, ticks } from "../shared/scales.js";
import { same } from "../shared/store.js";

const MANY = 12;

/**
 * All windows, or the twelve with the highest spans (and the selected one) until the reader asks
 * for all.
 */
function shownRows({ rows }, held, page) {
  if (rows.length <= MANY || held.all) return rows;
  const order = rows.toSorted((a, b) =>
    (b.spans[0]?.score ?? -Infinity) - (a.spans[0]?.score ?? -Infinity)
  );
  const kept = new Set(
    order.slice(0, MANY).map((r) => r.window).concat(page.selection ? [page.selection.window] : []),
  );
  return rows.filter((r) => kept.has(r.window));
}

function dot(row, d, x, y, size, page) {
  const label = `${d.text}: ${d.sum}; window ${row.window + 1}, ${
    d.owned ? "the window owns its start" : "another window owns its start"
  }`;
  return svg(
    "g.w-dot[role=button]",
    {
      "aria-label": label,
      dataset: { span: `${row.window} ${d.start} ${d.end}`, says: label },
      ...pressed(() => page.select({ window: row.window, start: d.start, end: d.end })),
    },
    svg("rect[fill=transparent]", [x - size * 2, y - size * 2, size * 4, size * 4]),
    svg("circle", [x, y, size], { class: d.owned ? "own" : "foreign" }),
  );
}

export function draw(stage, picture, page, held) {
  const data = picture.candidates;
  const em = 16 * page.scale;
  const wide = Math.max(260, page.width);
  const narrow = page.narrow || wide < em * 40;
  const names = em * 5.2;
  const texts = narrow ? 0 : Math.min(em * 20, wide * 0.36);
  const tall = narrow ? em * 3.1 : em * 2;
  const [left, right] = [narrow ? em * 0.8 : names, wide - texts - em];
  const rows = shownRows(data, held, page);
  const top = em * 1.6;
  const height = top + rows.length * tall + 6;
  const x = scaleLinear([data.low, Math.max(data.low + 1, data.high)], [left, right]);
  const root = drawing(wide, height, {
    role: "group",
    "aria-label": "The best spans of each window on one axis of logits",
    class: "candidates",
  });
  const marks = ticks(x, { room: (right - left) / 8, em, least: 1 });
  root.append(...along(marks, top, height, top - em * 0.5));
  rows.forEach((row, k) => {
    const base = top + k * tall;
    const y = base + (narrow ? tall * 0.68 : tall / 2);
    const line = narrow ? base + em * 1.1 : y + em * 0.3;
    const best = row.spans[0];
    root.append(
      svg(row.beats ? "text" : "text.quiet", [0, line], `window ${row.window + 1}`),
      svg(
        "path.null-rule",
        `M${x(row.null)},${y - em * 0.62}v${em * 1.24}`,
        svg("title", `null score ${row.null_printed}`),
      ),
    );
    if (k === 0) {
      const [end, height] = [x(row.null) > right - em * 6, narrow ? y + em * 0.3 : y - em * 0.45];
      const at = [x(row.null) + (end ? -5 : 5), height, end ? "end" : "start"];
      root.append(svg("text.quiet", at, "null score"));
    }
    for (const d of row.spans.toReversed()) {
      root.append(dot(row, d, x(d.score), y, em * 0.3, page));
    }
    if (!best) return;
    const at = narrow ? names : right + em;
    const fit = Math.max(6, Math.floor((wide - at) / (em * 0.5)) - 8);
    root.append(
      svg(
        `text.words.small${row.beats ? "" : ".pale"}`,
        [at, line],
        { onclick: () => page.select({ window: row.window, start: best.start, end: best.end }) },
        svg("tspan", clipped(best.text, fit)),
        svg("tspan.sum", { dx: em * 0.5 }, best.printed),
      ),
    );
  });
  const group = svg("g");
  root.append(group);
  const more = data.rows.length > MANY && el(
    "button.plain#windows-all",
    {
      "aria-pressed": Boolean(held.all),
      onclick: () => {
        held.all = !held.all;
        draw(stage, picture, page, held);
        stage.querySelector("#windows-all").focus();
      },
    },
    held.all
      ? "show only the highest"
      : `show all ${data.rows.length} windows (now ${rows.length})`,
  );
  const focused = focusIn(document.body)?.dataset.span;
  stage.replaceChildren(
    root,
    saying(
      root,
      ".w-dot",
      "Each dot is a span: start logit + end logit. Arrow keys move between the dots, Enter selects.",
    ),
    el(
      "div.w-legend",
      key("own-key", "the window owns its start"),
      key("foreign-key", "another window owns its start"),
      key("null-key", data.null_key),
      more,
    ),
  );
  Object.assign(held, { root, group, em });
  roving(root, ".w-dot");
  select(stage, picture, page, held);
  if (focused) root.querySelector(`[data-span="${focused}"]`)?.focus();
}

/** Outline the selected dot and bracket the predicted one. */
export function select(_stage, _picture, page, held) {
  if (!held.root) return;
  const marks = [];
  held.root.querySelectorAll(".w-dot").forEach((g) => {
    const [window, start, end] = g.dataset.span.split(" ").map(Number);
    const circle = g.querySelector("circle");
    const [x, y, r] = ["cx", "cy", "r"].map((name) => Number(circle.getAttribute(name)));
    const chosen = same(page.selection, { window, start, end });
    press(g, chosen);
    if (chosen) {
      marks.push(svg("rect.mark-selected", [x - r * 1.9, y - r * 1.9, r * 3.8, r * 3.8, 3]));
    }
    if (page.answer !== null && same(page.predicted, { window, start, end })) {
      marks.push(
        svg(
          "path.mark-predicted",
          `M${x - r * 1.9},${y + r * 1.3}v${r * 1.2}h${r * 3.8}v${-r * 1.2}`,
        ),
      );
    }
  });
  held.group.replaceChildren(...marks);
}
