// What the matrix costs: the mass of all pairs, and what BERT's grid misses.

import { drawing, el, put, svg } from "../shared/dom.js";
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
  put(
    root,
    el("p.says", grid.sentence),
    spans.length > 0 && el("ul.missed-list", spans),
    grid.hint && el("p.role-quiet", grid.hint),
  );
}
