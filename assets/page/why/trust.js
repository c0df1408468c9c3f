// Chapter 9, step 3: how far to trust it. The verdict first, then the curves behind it, then the
// checks.

import { el, svg } from "../shared/dom.js";
import { fixed } from "../shared/numbers.js";
import { extent, scaleLinear, ticks } from "../shared/scales.js";
import { missing } from "./parts.js";

export function draw(root, model, held) {
  const { words, choice, picture, page } = model;
  const request = { what: "trust", span: true, target: true, method: choice.method };
  const name = picture.menus.method.find(([key]) => key === choice.method)[1];
  const about = el(
    "p",
    { class: "role-quiet" },
    `${words.target}: ${
      picture.menus.target.find(([key]) => key === choice.kind)[1]
    }; ${words.method}: ${name}. ${words.trust_says}`,
  );
  const found = model.wanted(request) ? model.need(request) : undefined;
  if (found === undefined) {
    root.replaceChildren(
      about,
      el("button", {
        type: "button",
        class: "act",
        id: "why-trust-run",
        onclick: () => model.want(request),
      }, words.run),
    );
    return;
  }
  if (!found?.data) {
    root.replaceChildren(about, ...missing(model, request, found));
    return;
  }
  const { verdict, summary, curves } = found.data;
  const width = Math.min(
    model.width,
    page.narrow ? model.width : Math.max(280, Math.floor(model.width / 2 - 17 * page.scale)),
    560 * page.scale,
  );
  root.replaceChildren(
    el("p", { class: "verdict" }, verdict),
    el("ul", { class: "summary-says" }, summary.map((text) => el("li", {}, text))),
    legend(curves, words),
    el(
      "div",
      { class: "curves" },
      ["deletion", "insertion"].map((what) => chart(what, curves, width, page.scale, words)),
    ),
    el("p", { class: "role-quiet" }, words.in_tables),
    about,
  );
  held.drawn = found.data;
}

function legend(curves, words) {
  const key = (mark, text) =>
    el("span", {}, svg("svg", { width: 28, height: 12, "aria-hidden": "true" }, mark), ` ${text}`);
  return el(
    "p",
    { class: "legend" },
    curves.lines.map((line, k) =>
      key(svg("line", { class: `curve line-${k}`, x1: 0, x2: 28, y1: 6, y2: 6 }), line.name)
    ),
    key([
      svg("rect", { class: "band", x: 0, y: 1, width: 28, height: 10 }),
      svg("line", { class: "curve line-random", x1: 0, x2: 28, y1: 6, y2: 6 }),
    ], `${words.random} (${curves.random})`),
  );
}

function chart(what, { sizes, shares, lines, bands }, width, scale, words) {
  const [left, right, top, bottom, height] = [
    46 * scale,
    10 * scale,
    10 * scale,
    44 * scale,
    220 * scale,
  ];
  const band = bands[what];
  const all = [
    ...lines.flatMap((line) => line[what]),
    ...band.mean.flatMap((m, k) => [m - band.spread[k], m + band.spread[k]]),
  ];
  const [low, high] = extent(all);
  const x = scaleLinear([0, sizes.length - 1], [left, width - right]);
  const y = scaleLinear([low, high === low ? low + 1 : high], [height - bottom, top]);
  const path = (values) => values.map((f, k) => `${k ? "L" : "M"}${x(k)},${y(f)}`).join("");
  const edge = [
    ...band.mean.map((m, k) => `${x(k)},${y(m + band.spread[k])}`),
    ...band.mean.map((m, k) => `${x(k)},${y(m - band.spread[k])}`).reverse(),
  ].join(" ");
  const rules = ticks(y, { room: 40 * scale }).map(({ at, text }) => [
    svg("line", { class: "rule", x1: left, x2: width - right, y1: at, y2: at }),
    svg("text", { class: "quiet", x: left - 6, y: at + 4, "text-anchor": "end" }, text),
  ]);
  const labels = sizes.map((
    size,
    k,
  ) => [
    svg(
      "text",
      { x: x(k), y: height - bottom + 16 * scale, "text-anchor": "middle" },
      String(size),
    ),
    svg("text", {
      class: "quiet",
      x: x(k),
      y: height - bottom + 32 * scale,
      "text-anchor": "middle",
    }, shares[k]),
  ]);
  return el(
    "figure",
    { class: "curve-box" },
    el("figcaption", {}, words[what]),
    svg(
      "svg",
      {
        width,
        height,
        role: "img",
        "aria-label": `${words[what]}. ${
          lines.map((l) => `${l.name}: ${l[what].map((f) => fixed(f)).join(", ")}`).join("; ")
        }`,
      },
      rules,
      svg("polygon", { class: "band", points: edge }),
      svg("path", { class: "curve line-random", d: path(band.mean) }),
      [...lines].reverse().map((line) =>
        svg("path", { class: `curve line-${lines.indexOf(line)}`, d: path(line[what]) })
      ),
      labels,
    ),
    el(
      "p",
      { class: "role-quiet axis" },
      what === "deletion" ? words.masked_words : words.kept_words,
    ),
  );
}
