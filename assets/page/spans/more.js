// What the matrix holds and what it costs: the mass of all pairs, two rows overlaid, BERT's grid.

import { drawing, el, svg } from "../shared/dom.js";
import { max, min, scaleLinear, ticks } from "../shared/scales.js";
import { textOf } from "../shared/store.js";

/** One stacked bar: the four parts of the mass of all pairs, with their words. */
export function drawMass(root, picture, page, width) {
  const { scale } = page;
  const [tall, y] = [46 * scale, 22 * scale];
  const gap = 2;
  const room = width - 2 - 3 * gap;
  let x = 1;
  const parts = picture.mass.parts.map((part) => {
    const w = Math.max(part.value > 0 ? 1.5 : 0, part.value * room);
    const node = svg("rect", [x, y, w, tall], { class: `mass ${part.key}` });
    x += w + gap;
    return node;
  });
  const height = y + tall + 4;
  const end = Math.min(width - 1, x - gap);
  root.replaceChildren(
    el(
      "figure.spans-mass",
      el(
        "figcaption.role-quiet",
        `P(start = i) · P(end = j), added up over all pairs of window ${picture.window + 1}`,
      ),
      drawing(
        width,
        height,
        { "aria-hidden": "true" },
        svg("path.rule-ink", `M1,${y - 4}v-6H${end}v6`),
        svg("rect.paper", [width / 2 - 38 * scale, 0, 76 * scale, 18 * scale]),
        svg("text", [width / 2, 15 * scale, "middle"], "sum = 1"),
        parts,
      ),
      el(
        "p.spans-sum",
        picture.mass.parts.flatMap((part, k) => [
          k ? el("span.role-quiet.op", "+") : null,
          el(
            "span.spans-part",
            el("span[aria-hidden=true]", { class: `swatch ${part.key}` }),
            el("b.tabular", part.printed),
            ` ${part.name}`,
          ),
        ]),
        el("span.role-quiet.op", picture.mass.sign),
        el("b", "1"),
      ),
      el("p.says", picture.mass.sentence),
    ),
  );
}

/** Two rows of the matrix over all ends: the same line twice, shifted. */
export function drawRows(root, cells, picture, page, width) {
  const pair = picture.rows;
  if (!pair) {
    root.replaceChildren(
      el("p.role-quiet", "Only one start is legal here, so there is no second row."),
    );
    return;
  }
  const { scale } = page;
  const height = 210 * scale;
  const tight = width < 460 * scale; // no room for both captions in one line
  const pad = {
    left: 44 * scale,
    right: 90 * scale,
    top: 14 * scale,
    bottom: (tight ? 40 : 24) * scale,
  };
  const ends = Array.from(cells.e);
  const [low, high] = [
    Math.min(cells.s[pair.i], cells.s[pair.k]) + min(ends),
    Math.max(cells.s[pair.i], cells.s[pair.k]) + max(ends),
  ];
  const step = (width - pad.left - pad.right) / cells.n;
  const at = (j) => pad.left + (j + 0.5) * step;
  const up = scaleLinear([low, high], [height - pad.bottom, pad.top]);
  const path = (i, holds) => {
    let d = "";
    let drawing = false;
    for (let j = 0; j < cells.n; j += 1) {
      if (holds(j)) d += `${drawing ? "L" : "M"}${at(j)},${up(cells.score(i, j))}`;
      drawing = holds(j);
    }
    return d;
  };
  const row = (i, cls) => [
    svg(`path.row.faint.${cls}`, path(i, () => true)),
    svg(`path.row.${cls}`, path(i, (j) => cells.code(i, j) === 0)),
  ];
  const top = ends.indexOf(max(ends));
  const labels = [pair.i, pair.k].map((i) => up(cells.score(i, cells.n - 1)));
  if (Math.abs(labels[0] - labels[1]) < 15 * scale) {
    labels[cells.s[pair.i] > cells.s[pair.k] ? 1 : 0] = Math.min(...labels) + 15 * scale;
  }
  root.replaceChildren(
    el("p.says", pair.sentence),
    drawing(
      width,
      height,
      { "aria-hidden": "true" },
      ticks(up, { room: 50 * scale }).map(({ at: y, text }) => [
        svg("path.rule", `M${pad.left},${y}H${width - pad.right}`),
        svg("text.quiet", [pad.left - 6, y + 4, "end"], text),
      ]),
      row(pair.k, "second"),
      row(pair.i, "first"),
      svg(
        "path.start-line.shift",
        `M${at(top)},${up(cells.score(pair.k, top))}V${up(cells.score(pair.i, top))}`,
      ),
      [pair.i, pair.k].map((i, k) =>
        svg("text", [width - pad.right + 6, labels[k] + 4], `row ${i}`)
      ),
      svg("text.end", [pad.left, height - (tight ? 22 : 6) * scale], "end j \u2192"),
      svg(
        "text.quiet",
        [width - pad.right, height - 6 * scale, "end"],
        "solid where the pair is legal",
      ),
    ),
  );
}

export function drawGrid(root, picture, page) {
  const { grid } = picture;
  const spans = grid.missed.slice(0, 8).map(([i, j]) => {
    const w = page.reading.windows[picture.window];
    const [start, end] = [i, j].map(w.doc);
    const text = textOf({ start, end });
    return el(
      "li",
      el("button.row-select", {
        onclick: () => page.select({ window: picture.window, start, end }),
      }, el("bdi", text)),
      el("span.role-quiet", ` (${i}, ${j})`),
    );
  });
  root.replaceChildren(
    ...[
      el("p.says", grid.sentence),
      spans.length ? el("ul.missed-list", spans) : null,
      grid.hint ? el("p.role-quiet", grid.hint) : null,
    ].filter(Boolean),
  );
}
