// How long spans come out: many draws as bars, the truncated law as dots, the literal clipping as
// rings.

import { drawing, el, svg } from "../shared/dom.js";
import { fixed, grouped } from "../shared/numbers.js";
import { max, scaleLinear, ticks } from "../shared/scales.js";

/** A histogram as wide as its place; `now` is the length of the turn on show, or null. */
export function histogram(data, page, width, now) {
  const size = page.scale;
  const [left, right, top, bottom] = [34 * size, 6 * size, 10 * size, 40 * size];
  const [wide, tall] = [Math.max(220, width), 190 * size];
  const n = data.lengths.length;
  const most = Math.max(0.05, max([...data.law, ...data.clipped, ...data.drawn])) * 1.08;
  const step = (wide - left - right) / n;
  const x = (k) => left + step * (k + 0.5);
  const y = scaleLinear([0, most], [tall - bottom, top]);
  const bar = Math.min(step * 0.62, 34 * size);
  const node = drawing(
    wide,
    tall,
    {
      role: "img",
      class: "histogram",
      "aria-label":
        `Span lengths in words: ${data.n} draws as bars, the law as dots, the literal ` +
        `clipping as rings; the numbers stand in the table`,
    },
    ticks(y, { room: 36 * size }).map(({ value, at }) => [
      svg("path.rule", { d: `M${left},${at}H${wide - right}` }),
      svg(
        "text.quiet",
        { x: left - 6 * size, y: at + 4 * size, "text-anchor": "end" },
        fixed(100 * value, 0),
      ),
    ]),
    data.drawn.map((p, k) =>
      svg("rect.drawn-bar", {
        x: x(k) - bar / 2,
        width: bar,
        style: { y: `${y(p)}px`, height: `${Math.max(0, y(0) - y(p))}px` },
      })
    ),
    data.clipped.map((p, k) => svg("circle.clipped-ring", { cx: x(k), cy: y(p), r: 5.5 * size })),
    data.law.map((p, k) => svg("circle.ink.law-dot", { cx: x(k), cy: y(p), r: 3 * size })),
    data.lengths.map((length, k) =>
      svg("text", {
        class: length === now ? "now" : "quiet",
        x: x(k),
        y: tall - bottom + 16 * size,
        "text-anchor": "middle",
      }, length)
    ),
    now === null ? null : svg("path.rule-ink", {
      d: `M${x(data.lengths.indexOf(now)) - 8 * size},${tall - bottom + 21 * size}h${16 * size}`,
    }),
    svg(
      "text.quiet",
      { x: (left + wide - right) / 2, y: tall - 5 * size, "text-anchor": "middle" },
      "length in words; share in %",
    ),
  );
  return node;
}

export function legend(data) {
  const item = (mark, name, mean) =>
    el("li", mark, name, mean ? el("span.tabular", ` mean ${mean}`) : null);
  const dot = (name, r) =>
    svg(
      "svg.key",
      { viewBox: "0 0 16 12", "aria-hidden": "true" },
      svg("circle", { class: name, cx: 8, cy: 6, r }),
    );
  return el(
    "ul.legend",
    item(
      svg(
        "svg.key",
        { viewBox: "0 0 16 12", "aria-hidden": "true" },
        svg("rect.drawn-bar", { x: 4, y: 1, width: 8, height: 10 }),
      ),
      data.n ? `${grouped(data.n)} draws,` : "draws: none yet",
      data.means.drawn,
    ),
    item(dot("ink", 3), "the law,", data.means.law),
    item(dot("clipped-ring", 4.5), "cut off literally,", data.means.clipped),
  );
}
