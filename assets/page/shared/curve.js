// A loss after each step, as a line.

import { through } from "./axes.js";
import { svg } from "./dom.js";
import { fixed } from "./numbers.js";
import { max } from "./scales.js";

/**
 * A curve with its first and last value printed; `at` marks one point, `floor` is the least value
 * possible.
 */
export function curve(
  values,
  width,
  page,
  { at = null, height = 9, names = null, floor = 0 } = {},
) {
  const em = 16 * page.scale;
  const [left, right, top, bottom] = [em * 0.6, em * 0.6, em * 1.4, em * 1.6];
  const full = em * height;
  const high = Math.max(max(values), 1e-6);
  const x = (k) =>
    left + (values.length > 1 ? k / (values.length - 1) : 0) * (width - left - right);
  const y = (v) => top + (1 - v / high) * (full - top - bottom);
  const last = values.length - 1;
  const mark = (k) => [svg("circle.ink", [x(k), y(values[k]), 3.5 * page.scale])];
  const name = (k) => (names ? names[k] : k);
  return svg(
    "svg.curve[role=img]",
    {
      width,
      height: full,
      "aria-label": `loss from ${fixed(values[0], 3)} at step ${name(0)} to ${
        fixed(values[last], 3)
      } at step ${name(last)}`,
    },
    svg("line.rule", [left, y(0), width - right, y(0)]),
    floor > 0
      ? [
        svg("line.rule-ink", [left, y(floor), width - right, y(floor)], {
          "stroke-dasharray": "2 3",
        }),
        svg("text.quiet", [width / 2, y(floor) + em * 1.1, "middle"], `floor ${fixed(floor, 3)}`),
      ]
      : null,
    svg("path.rule-ink", through(values.map((v, k) => [x(k), y(v)]))),
    mark(0),
    mark(last),
    at === null ? null : svg("circle.ring", [x(at), y(values[at]), 7 * page.scale]),
    svg("text", [x(0), y(values[0]) - 8, "start"], fixed(values[0], 3)),
    last ? svg("text", [x(last), y(values[last]) - 8, "end"], fixed(values[last], 3)) : null,
    svg("text.quiet", [x(0), full - 4], `step ${name(0)}`),
    last ? svg("text.quiet", [x(last), full - 4, "end"], `step ${name(last)}`) : null,
  );
}
