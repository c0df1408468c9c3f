// How long spans come out: the truncated law as bars, the literal clipping as rings.

import { upwards } from "../shared/axes.js";
import { drawing, el, legend as shared, svg } from "../shared/dom.js";
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
  const shares = ticks(y, { room: 36 * size })
    .map(({ value, at }) => ({ at, text: fixed(100 * value, 0) }));
  const bar = Math.min(step * 0.62, 34 * size);
  return drawing(
    wide,
    tall,
    {
      role: "img",
      class: "histogram",
      "aria-label":
        "Span lengths in words: the law as bars, the literal clipping as rings; the numbers stand " +
        "in the table",
    },
    upwards(shares, left, wide - right, left - 6 * size, 4 * size),
    data.law.map((p, k) => svg("rect.law-bar", [x(k) - bar / 2, y(p), bar, y(0) - y(p)])),
    data.clipped.map((p, k) => svg("circle.clipped-ring", [x(k), y(p), 5.5 * size])),
    data.lengths.map((length, k) =>
      svg("text.quiet", [x(k), tall - bottom + 16 * size, "middle"], length)
    ),
    svg(
      "text.quiet",
      [(left + wide - right) / 2, tall - 5 * size, "middle"],
      "length in words; share in %",
    ),
  );
}

export function legend({ means }) {
  const mean = (key) => el("span.tabular", ` mean ${means[key]}`);
  return shared(
    [
      [svg("rect.law-bar", [4, 1, 8, 10]), "the law,", mean("law")],
      [svg("circle.clipped-ring", [8, 6, 4.5]), "cut off literally,", mean("clipped")],
    ],
    {},
    "0 0 16 12",
  );
}
