// How long spans come out: the truncated law as bars, the literal clipping as rings.

import { drawing, el, svg } from "../shared/dom.js";
import { fixed } from "../shared/numbers.js";
import { max, scaleLinear, ticks } from "../shared/scales.js";

/** A histogram as wide as its place. */
export function histogram(data, page, width) {
  const size = page.scale;
  const [left, right, top, bottom] = [34 * size, 6 * size, 10 * size, 40 * size];
  const [wide, tall] = [Math.max(220, width), 190 * size];
  const n = data.lengths.length;
  const most = Math.max(0.05, max([...data.law, ...data.clipped])) * 1.08;
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
        "Span lengths in words: the law as bars, the literal clipping as rings; the numbers stand " +
        "in the table",
    },
    ticks(y, { room: 36 * size }).map(({ value, at }) => [
      svg("path.rule", { d: `M${left},${at}H${wide - right}` }),
      svg(
        "text.quiet",
        { x: left - 6 * size, y: at + 4 * size, "text-anchor": "end" },
        fixed(100 * value, 0),
      ),
    ]),
    data.law.map((p, k) =>
      svg("rect.law-bar", { x: x(k) - bar / 2, y: y(p), width: bar, height: y(0) - y(p) })
    ),
    data.clipped.map((p, k) => svg("circle.clipped-ring", { cx: x(k), cy: y(p), r: 5.5 * size })),
    data.lengths.map((length, k) =>
      svg("text", {
        class: "quiet",
        x: x(k),
        y: tall - bottom + 16 * size,
        "text-anchor": "middle",
      }, length)
    ),
    svg(
      "text.quiet",
      { x: (left + wide - right) / 2, y: tall - 5 * size, "text-anchor": "middle" },
      "length in words; share in %",
    ),
  );
  return node;
}

export function legend({ means }) {
  const item = (name, mean, mark) =>
    el(
      "li",
      svg("svg.key", { viewBox: "0 0 16 12", "aria-hidden": "true" }, mark),
      name,
      el("span.tabular", ` mean ${mean}`),
    );
  return el(
    "ul.legend",
    item("the law,", means.law, svg("rect.law-bar", { x: 4, y: 1, width: 8, height: 10 })),
    item(
      "cut off literally,",
      means.clipped,
      svg("circle.clipped-ring", { cx: 8, cy: 6, r: 4.5 }),
    ),
  );
}
