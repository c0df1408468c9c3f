// F as more and more words are masked, in the order of each explanation, beside random orders.

import { el, svg } from "../shared/dom.js";
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
  const key = (mark, text) =>
    el("span", svg("svg", { width: 28, height: 12, "aria-hidden": "true" }, mark), ` ${text}`);
  const { deletion, insertion } = curves.bands;
  return el(
    "p.legend",
    curves.lines.map((line, k) =>
      key(svg("line", { class: `curve line-${k}`, x1: 0, x2: 28, y1: 6, y2: 6 }), line.name)
    ),
    key([
      svg("rect.band", { x: 0, y: 1, width: 28, height: 10 }),
      svg("line.curve.line-random", { x1: 0, x2: 28, y1: 6, y2: 6 }),
    ], `${words.random} (${deletion.orders}, ${insertion.orders})`),
  );
}

function chart(what, { sizes, lines, bands }, width, scale) {
  const [left, right, top, bottom, height] = [46, 10, 10, 30, 220].map((x) => x * scale);
  const band = bands[what];
  const [low, high] = extent([...lines.flatMap((line) => line[what]), ...band.low, ...band.high]);
  const x = scaleLinear([0, sizes.length - 1], [left, width - right]);
  const y = scaleLinear([low, high === low ? low + 1 : high], [height - bottom, top]);
  const path = (values) => values.map((f, k) => `${k ? "L" : "M"}${x(k)},${y(f)}`).join("");
  const edge = [
    ...band.high.map((f, k) => `${x(k)},${y(f)}`),
    ...band.low.map((f, k) => `${x(k)},${y(f)}`).reverse(),
  ].join(" ");
  const rules = ticks(y, { room: 40 * scale }).map(({ at, text }) => [
    svg("line.rule", { x1: left, x2: width - right, y1: at, y2: at }),
    svg("text.quiet", { x: left - 6, y: at + 4, "text-anchor": "end" }, text),
  ]);
  const labels = sizes.map((size, k) =>
    svg(
      "text",
      { x: x(k), y: height - bottom + 16 * scale, "text-anchor": "middle" },
      String(size),
    )
  );
  const said = lines.map((l) => `${l.name}: ${l[what].map((f) => fixed(f)).join(", ")}`).join("; ");
  return el(
    "figure.curve-box",
    el("figcaption", words[what]),
    svg(
      "svg",
      { width, height, role: "img", "aria-label": `${words[what]}. ${said}` },
      rules,
      svg("polygon.band", { points: edge }),
      svg("path.curve.line-random", { d: path(band.middle) }),
      [...lines].reverse().map((line) =>
        svg("path", { class: `curve line-${lines.indexOf(line)}`, d: path(line[what]) })
      ),
      labels,
    ),
    el("p.role-quiet.axis", what === "deletion" ? words.masked_words : words.kept_words),
  );
}
