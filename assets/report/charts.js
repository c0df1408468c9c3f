// The report's pictures: bars that are buttons, and curves over two axes. Texts become part of the
// page through textContent only.

import { el, svg } from "./shared/dom.js";
import { fixed, grouped } from "./shared/numbers.js";
import { scaleLinear, ticks } from "./shared/scales.js";

/**
 * An interval in words: "70.10 to 74.30"; none where all comes from one article.
 * @param {{low: number | null, high: number | null}} estimate
 */
export const range = ({ low, high }, decimals = 2) =>
  low === null || high === null
    ? "no interval"
    : `${fixed(low, decimals)} to ${fixed(high, decimals)}`;

/** The star of a difference that is told apart from 0. @param {any} found */
export const star = (found) => found?.told ? " *" : "";

/**
 * One bar for each group, each a button: pressing it shows the group's questions. The thin line is
 * the interval.
 * @param {{name: string, value: number, low?: number | null, high?: number | null, says: string}[]} rows
 * @param {{most: number, accent?: string, press: (name: string) => void}} options
 */
export function bars(rows, { most, accent = "accent", press }) {
  const at = (/** @type {number} */ x) => `${100 * x / most}%`;
  const line = (/** @type {any} */ { low = null, high }) =>
    low !== null &&
    el("span.interval", { style: { insetInlineStart: at(low), width: at(high - low) } });
  return el(
    "ul.bars",
    ...rows.map((row) =>
      el(
        "li",
        el(
          "button[type=button]",
          { "data-group": row.name, onclick: () => press(row.name) },
          el("span.name", row.name),
          el(
            "span.track[aria-hidden=true]",
            el(`span.bar.${accent}`, { style: { width: at(row.value) } }),
            line(row),
          ),
          el("span.says", row.says),
        ),
      )
    ),
  );
}

const WIDTH = 720;
const HEIGHT = 300;
const MARGIN = { left: 52, right: 16, top: 12, bottom: 44 };

/**
 * Two axes with ticks, and what `content(x, y)` draws between them.
 * @param {string} words what the picture shows, for who cannot see it
 * @param {{domain: [number, number], title: string}} across
 * @param {{domain: [number, number], title: string}} up
 * @param {(x: any, y: any) => any[]} content
 */
export function axes(words, across, up, content) {
  const floor = HEIGHT - MARGIN.bottom;
  const x = scaleLinear().domain(across.domain).range([MARGIN.left, WIDTH - MARGIN.right]);
  const y = scaleLinear().domain(up.domain).range([floor, MARGIN.top]);
  const end = WIDTH - MARGIN.right;
  const middle = (MARGIN.left + end) / 2;
  return svg(
    "svg[role=img]",
    { class: "picture", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-label": words },
    ...ticks(y, { room: 30 }).map((t) =>
      svg(
        "g",
        svg("line", [MARGIN.left, t.at, end, t.at], { class: "gridline" }),
        svg("text", [MARGIN.left - 8, t.at + 5, "end"], t.text),
      )
    ),
    ...ticks(x, { room: 60, em: 14 }).map((t) => svg("text", [t.at, floor + 20, "middle"], t.text)),
    svg("text", [middle, HEIGHT - 4, "middle"], across.title),
    svg(
      "text[text-anchor=middle]",
      { transform: `translate(13 ${floor / 2}) rotate(-90)` },
      up.title,
    ),
    ...content(x, y),
  );
}

/** "1 question", "1,500 questions". @param {number} n @param {string} thing */
export const many = (n, thing) => `${grouped(n)} ${thing}${n === 1 ? "" : "s"}`;
