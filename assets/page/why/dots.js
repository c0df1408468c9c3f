// The drops of all random sets as dots, stacked where they are alike, and below them one row for
// each explanation with its drop on the same axis.

import { el, roving, svg } from "../shared/dom.js";
import { fixed } from "../shared/numbers.js";
import { extent, scaleLinear, ticks } from "../shared/scales.js";
import { middle, tip } from "../shared/tip.js";
import { words } from "./words.js";

const ROOM = 120;
const LARGEST = 4.5;

/**
 * Places of dots stacked upwards from y = 0 in columns of 2 r + 1 pixels, with the largest radius
 * at which the highest column is no higher than `room`.
 * @param {number[]} at places on the axis in pixels, from small to large
 * @param {number} room
 * @param {number} largest
 * @returns {{r: number, spots: {x: number, y: number}[]}}
 */
export function stacked(at, room, largest) {
  for (let r = largest;; r -= 0.25) {
    const wide = 2 * r + 1;
    /** @type {Map<number, number>} */
    const count = new Map();
    const spots = at.map((x) => {
      const column = Math.round(x / wide);
      const k = count.get(column) ?? 0;
      count.set(column, k + 1);
      return { x: column * wide, y: r + k * wide };
    });
    if (r <= 1 || Math.max(...count.values()) * wide <= room) return { r, spots };
  }
}

/** {root, draw({sets, rows, width, scale, narrow, wordsOf})}. */
export function makeDots() {
  const view = { tip: tip({ class: "set-tip" }), at: 0 };
  view.stage = el("div.chance");
  view.root = el("div.chance-box", view.stage, view.tip.node);
  return { root: view.root, draw: (model) => draw(view, model) };
}

function draw(view, model) {
  const { sets, rows, scale, narrow } = model;
  const side = narrow ? 0 : 190 * scale;
  const says = narrow ? 0 : 310 * scale;
  const width = Math.max(220, Math.min(model.width - side - says - 4, 600 * scale));
  const drops = rows.flatMap((row) => (row.data ? [row.data.drop] : []));
  const [low, high] = extent([0, ...sets.drops, ...drops]);
  const edge = 8 * scale;
  const x = scaleLinear([low, high === low ? low + 1 : high], [edge, width - edge]);
  const had = view.stage.contains(document.activeElement);
  view.stage.style.gridTemplateColumns = narrow ? "1fr" : `${side}px ${width}px minmax(0, 1fr)`;
  view.stage.replaceChildren(
    ...(narrow ? [] : [el("div")]),
    cloud(view, model, x, width),
    ...(narrow ? [] : [el("div")]),
    ...rows.flatMap((row) => method(row, x, width, model)),
  );
  if (had) view.stage.querySelector(".set[tabindex='0']")?.focus({ preventScroll: true });
  view.stage.setAttribute("aria-label", words.dots);
}

function cloud(view, { sets, scale, wordsOf }, x, width) {
  const order = [...sets.drops.keys()].sort((a, b) => sets.drops[a] - sets.drops[b]);
  const room = ROOM * scale;
  const { r, spots } = stacked(order.map((k) => x(sets.drops[k])), room, LARGEST * scale);
  const [foot, head] = [room + 18 * scale, 16 * scale];
  view.at = Math.min(view.at, order.length - 1);
  const dots = order.map((k, at) =>
    svg("circle.set[role=img]", [spots[at].x, foot - spots[at].y - 1, r], {
      dataset: { at },
      "aria-label": `${wordsOf(k)}: drop of F ${fixed(sets.drops[k])}`,
    })
  );
  const node = svg(
    "svg.cloud[role=group]",
    { width, height: foot + 20 * scale, "aria-label": words.dots },
    ...band(sets, x, foot, head),
    svg("line.axis-line", [0, foot, width, foot]),
    ticks(x, { room: 60 * scale, em: 12 * scale }).map(({ at, text }) =>
      svg("text.quiet", [at, foot + 15 * scale, "middle"], text)
    ),
    dots,
  );
  listen(view, node, (at) => [
    wordsOf(order[at]),
    el("span.role-quiet", `  drop of F ${fixed(sets.drops[order[at]])}`),
  ]);
  return node;
}

// Where chance usually lands: beyond either edge lie at most 4 of 100 random sets.
function band({ low, high }, x, foot, head) {
  const [a, b] = [x(low), x(high)];
  return [
    svg("rect.band", [a, head, Math.max(1, b - a), foot - head]),
    svg("text.quiet", [(a + b) / 2, head - 4, "middle"], "chance"),
  ];
}

function listen(view, node, say) {
  roving(node, ".set", { current: view.at });
  const over = (event) => event.target.closest(".set");
  node.addEventListener("pointermove", (event) => {
    const dot = over(event);
    if (!dot) return view.tip.hide();
    view.tip.show({ x: event.clientX, y: event.clientY }, ...say(Number(dot.dataset.at)));
  });
  node.addEventListener("focusin", (event) => {
    const dot = over(event);
    if (!dot) return;
    view.at = Number(dot.dataset.at);
    view.tip.show(middle(dot), ...say(view.at));
  });
  ["pointerleave", "focusout"].forEach((kind) => node.addEventListener(kind, view.tip.hide));
  node.addEventListener("keydown", (event) => event.key === "Escape" && view.tip.hide());
}

// One explanation: its name and cost, its drop on the axis of the dots, its rank in words.
function method({ name, chosen, data, missing }, x, width, { sets, scale }) {
  const height = 30 * scale;
  const [y, size] = [height / 2, 7 * scale];
  const mark = data &&
    svg(
      "path",
      `M${x(data.drop)},${y - size}l${size},${size}l${-size},${size}l${-size},${-size}Z`,
      { class: `stand ${data.standing}` },
    );
  const lane = svg(
    "svg.stand-lane[aria-hidden=true]",
    { width, height },
    svg("rect.band", [x(sets.low), 0, Math.max(1, x(sets.high) - x(sets.low)), height]),
    svg("line.rule", [0, y, width, y]),
    mark,
  );
  return [
    el(
      "div",
      { class: `stand-name${chosen ? " on" : ""}` },
      name,
      el("small.role-quiet.tabular", data ? data.took : ""),
    ),
    lane,
    el(
      "div.stand-says",
      data
        ? [
          el("span.tabular", `larger than ${data.rank}: `),
          el("b", data.says),
          el("small.role-quiet", data.top),
        ]
        : missing.length
        ? missing
        : el("span.role-quiet", "to come"),
    ),
  ];
}
