// Step 2: S or E, T of the selected token, and their products, dimension by dimension.

import { place } from "../shared/numbers.js";
import { el, grid, put, row, svg } from "../shared/dom.js";
import { floats } from "../shared/pack.js";
import { max } from "../shared/scales.js";
import { missing } from "./layers.js";

const LANES = [["start", "S", "s"], ["end", "E", "e"]];

export function makeDimensions(on) {
  const body = el("div.scores-lanes");
  const waiting = el("p.role-quiet[role=status]");
  const intro = el("p.scores-says");
  const root = el("div", intro, waiting, body);
  let drawn = null;
  return {
    root,
    update(model) {
      const { details, picture: { states } } = model;
      waiting.hidden = Boolean(details && states);
      const none = "Select a span to take its two logits apart.";
      put(waiting, model.page.selection ? missing(on, model) : none);
      body.hidden = intro.hidden = !details || !states;
      if (!details || !states) return;
      const v = states.vectors;
      intro.textContent =
        `S and E have ${v.d} numbers each, the same for every question. Their lengths are ` +
        `${v.lengths.join(" and ")}, the angle between them ${v.angle}°. A logit is the sum of ` +
        `${v.d} products and a bias.`;
      const key = [details, states, model.width, model.page.scale];
      if (drawn?.every((x, k) => x === key[k])) return;
      drawn = key;
      const two = !model.page.narrow && model.width >= 860 * model.page.scale;
      body.classList.toggle("two", two);
      const width = Math.floor(two ? (model.width - 36) / 2 : model.width);
      body.replaceChildren(
        ...LANES.map(([side, big, small]) =>
          lane(details[side], v, { side, big, small, width, scale: model.page.scale })
        ),
      );
    },
  };
}

function lane(anatomy, vectors, at) {
  const { side, big, small } = at;
  return el(
    `section.scores-lane.${side}`,
    { "aria-label": `${side} logit, dimension by dimension` },
    el(
      "h3",
      el(`span.role-${side}`, `${side}_logit`),
      " of ",
      el("bdi.read-token", anatomy.token),
      " = ",
      el("b.tabular", anatomy.logit),
    ),
    strips(anatomy, vectors, at),
    sumTable(anatomy, big, small, side),
  );
}

/** One path of thin bars around a middle line for a vector of d numbers. */
function bars(values, size, { x, middle, half, name }) {
  let d = "";
  values.forEach((v, k) => {
    const h = (Math.max(-size, Math.min(size, v)) / size) * half;
    if (Math.abs(h) > 0.2) d += `M${place(x(k))},${middle}v${place(-h)}`;
  });
  return svg(`path.strip.${name}`, d, {
    "stroke-width": Math.max(1.1, Math.min(5, 0.6 * (x(1) - x(0)))),
  });
}

function strips(anatomy, vectors, { side, big, width, scale }) {
  const [v, t] = [floats(vectors[big]), floats(anatomy.T)];
  const product = v.map((x, k) => x * t[k]);
  const half = 18 * scale;
  const gap = 2 * half + 16 * scale;
  const left = 50 * scale;
  const x = (k) => left + ((k + 0.5) / v.length) * (width - left - 4);
  const rows = [
    [v, vectors.size, big, `${side}-strip`],
    [t, anatomy.size, "T", "ink-strip"],
    [product, max(product, Math.abs) || 1, `${big} · T`, "ink-strip"],
  ];
  const height = rows.length * gap;
  const label =
    `${big}, T of ${anatomy.token} and their products over ${v.length} dimensions; the ` +
    `table below has the largest`;
  return svg(
    "svg.scores-strips[role=img]",
    { width, height, "aria-label": label },
    anatomy.rows.map(({ k }) => svg("line.top-dimension", [x(k), 0, x(k), height])),
    rows.map(([values, size, name, cls], r) => {
      const middle = r * gap + half + 4;
      return [
        svg("line.rule", [left, middle, width - 4, middle]),
        bars(values, size, { x, middle, half, name: cls }),
        svg("text", [0, middle + 4], { class: r === 0 ? side : "quiet" }, name),
      ];
    }),
  );
}

function bar(x, most) {
  const part = Math.min(1, Math.abs(x) / most) * 50;
  return el(
    "span.scores-bar[aria-hidden=true]",
    el("span", {
      class: x < 0 ? "negative" : "positive",
      style: { width: `${part}%`, [x < 0 ? "right" : "left"]: "50%" },
    }),
  );
}

/** A line of a sum: three numbers and, where it has one, its size as a bar. */
const line = (most) => (name, first, second, product, x, kind = "") =>
  row(name, [first, second, el("td.product", product), x === null ? "" : bar(x, most)], kind);

function sumTable(a, big, small, side) {
  // the rest is no dimension: it has a number and no bar
  const most = Math.max(max(a.rows, (r) => Math.abs(r.x)), Math.abs(a.bias.x), 1e-9);
  const add = line(most);
  return grid("table.scores-sum", {
    label: `Products that add up to the ${side} logit`,
    caption: `the ${a.rows.length} largest products, the rest as one number, the bias`,
    head: ["dimension", big, "T", "product", "its size"],
    rows: [
      ...a.rows.map((r) => add(r.k, r.v, r.t, r.product, r.x)),
      add(a.rest.name, "", "", a.rest.product, null),
      add(`bias b_${big}`, "", "", a.bias.product, a.bias.x),
      add(`${small}, as on screen`, "", "", a.logit, null, "total"),
    ],
  });
}
