// F as more and more words are masked, in the order of each explanation, beside random orders.

import { through, upwards } from "../shared/axes.js";
import { el, sign, svg } from "../shared/dom.js";
import { fixed } from "../shared/numbers.js";
import { extent, scaleLinear, ticks } from "../shared/scales.js";
import { words } from "./words.js";

/** Legend and both charts of the data of a "curves" answer. */
export function drawCurves(curves, { width, page }) {
  const each = Math.min(
    width,
    page.narrow ? width : Math.max(280, Math.floor(width / 2 - 17 * page.scale)),
    560 * page.scale,
  );
  return [
    el("p.curve-says", curves.says),
    legend(curves),
    el(
      "div.curves",
      ["deletion", "insertion"].map((what) => chart(what, curves, each, page.scale)),
    ),
    el("p.role-quiet", words.in_tables),
  ];
}

function legend(curves) {
  const key = (mark, text) => sign([28, 12], mark, ` ${text}`);
  const { deletion, insertion } = curves.bands;
  return el(
    "p.legend",
    curves.lines.map((line, k) =>
      key(svg("line", [0, 6, 28, 6], { class: `curve line-${k}` }), line.name)
    ),
    key([
      svg("rect.band", [0, 1, 28, 10]),
      svg("line.curve.line-random", [0, 6, 28, 6]),
    ], `random orders: middle, and the edges of chance (${deletion.orders}, ${insertion.orders})`),
  );
}

function chart(what, { sizes, lines, bands }, width, scale) {
  const [left, right, top, bottom, height] = [46, 10, 10, 30, 220].map((x) => x * scale);
  const band = bands[what];
  const [low, high] = extent([...lines.flatMap((line) => line[what]), ...band.low, ...band.high]);
  const x = scaleLinear([0, sizes.length - 1], [left, width - right]);
  const y = scaleLinear([low, high === low ? low + 1 : high], [height - bottom, top]);
  const path = (values) => through(values.map((f, k) => [x(k), y(f)]));
  const edge = [
    ...band.high.map((f, k) => `${x(k)},${y(f)}`),
    ...band.low.map((f, k) => `${x(k)},${y(f)}`).reverse(),
  ].join(" ");
  const rules = upwards(ticks(y, { room: 40 * scale }), left, width - right, left - 6);
  const labels = sizes.map((size, k) =>
    svg("text", [x(k), height - bottom + 16 * scale, "middle"], String(size))
  );
  const said = lines.map((l) => `${l.name}: ${l[what].map((f) => fixed(f)).join(", ")}`).join("; ");
  return el(
    "figure.curve-box",
    el("figcaption", words[what]),
    svg(
      "svg[role=img]",
      { width, height, "aria-label": `${words[what]}. ${said}` },
      rules,
      svg("polygon.band", { points: edge }),
      svg("path.curve.line-random", path(band.middle)),
      [...lines].reverse().map((line) =>
        svg("path", path(line[what]), { class: `curve line-${lines.indexOf(line)}` })
      ),
      labels,
    ),
    el("p.role-quiet.axis", what === "deletion" ? "words masked" : "words kept"),
  );
}
