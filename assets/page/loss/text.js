// Arrows of ½ (y - p) on the paragraph's own words: up where a step raises the logit, down where it
// lowers it. Start above, end below.

import { el, sized, svg } from "../shared/dom.js";
import { breakLines, centre, folding, makeLine, markSpan, settle } from "../shared/lines.js";
import { SIDES } from "./math.js";
import { joiner } from "../shared/pack.js";
import { fixed } from "../shared/numbers.js";

const SEEN = 0.004;
const PRINTED = 0.03;
const MANY = 4;
const kept = new WeakMap();

export function arrows(host, { picture, page, w, found }) {
  const width = host.clientWidth;
  if (!width) return;
  const pull = {};
  for (const side of SIDES) {
    const { p, y } = found[side];
    pull[side] = p.map((x, k) => (y[k] - x) / 2);
  }
  const key = [page.reading.stamp, w.index, width, page.scale].join(" ");
  if (kept.get(host)?.key !== key) kept.set(host, layout(host, picture, page, w, width, key, pull));
  const view = kept.get(host);
  for (const line of view.lines) {
    for (const side of SIDES) lane(line, side, pull[side], w, page.scale);
  }
  view.outside.replaceChildren(outside(w, pull));
}

function layout(host, picture, page, w, width, key, pull) {
  const { context, tokens } = page.reading;
  const text = {
    context,
    tokens,
    first: w.docStart,
    last: w.docStop - 1,
    joins: joiner(picture.joined),
  };
  host.replaceChildren();
  const broken = breakLines(host, text, width);
  const strong = ({ units }) =>
    SIDES.some((side) =>
      pull[side].subarray(w.pos(units[0].first), w.pos(units.at(-1).last) + 1)
        .some((x) => Math.abs(x) > 0.01)
    );
  const open = broken.map((line) => broken.length <= MANY || strong(line));
  const lines = broken.map((line) => makeLine(line, text, broken.dir));
  const fold = (from, to) => {
    const count = lines[to].last - lines[from].first + 1;
    return el("p.role-quiet", `… ${count} tokens, none pulled by more than 0.01`);
  };
  const nodes = folding(open, (k) => lines[k].node, fold);
  const beside = el("p.outside-pull.tabular");
  host.replaceChildren(
    el(
      "p.role-quiet",
      "½ (y − p): an arrow up says that a step raises this logit, down that it lowers it; " +
        "each head carries the ½ of the mean. Start above the words, end below.",
    ),
    ...nodes,
    beside,
  );
  const shown = lines.filter((_, k) => open[k]);
  settle(shown);
  for (const line of shown) {
    line.marks.replaceChildren(
      ...picture.golds.flatMap((g) => markSpan(line, "gold", g.start, g.end)),
    );
    line.words.querySelectorAll(".word").forEach((node) => {
      node.removeAttribute("role");
      node.removeAttribute("tabindex");
    });
  }
  return { key, lines: shown, outside: beside };
}

function lane(line, side, pull, w, size) {
  const node = side === "start" ? line.above : line.below;
  const cells = [...line.places.keys()].map((doc) => ({
    x: centre(line, doc),
    v: pull[w.pos(doc)],
    name: w.tokens[w.pos(doc)],
  })).filter((c) => Math.abs(c.v) >= SEEN);
  const length = (v) => Math.max(5, Math.abs(v) * 2 * 44) * size;
  const height = Math.ceil(
    Math.max(6, ...cells.map((c) => length(c.v) + (Math.abs(c.v) >= PRINTED ? 16 : 2) * size)),
  );
  sized(node, line.width, height);
  const taken = [];
  node.replaceChildren(...cells.flatMap((c) => {
    const h = length(c.v);
    const [top, bottom] = side === "start" ? [height - h, height] : [0, h];
    const [tail, tip] = c.v > 0 ? [bottom, top] : [top, bottom];
    const back = (c.v > 0 ? 1 : -1) * 5 * size;
    const half = 3.5 * size;
    const art = svg(
      `path.pull.${side}`,
      `M${c.x},${tail}V${tip}m${-half},${back}l${half},${-back}l${half},${back}`,
      svg("title", `${c.name}: p − y = ${fixed(-2 * c.v, 3)}, ½ (y − p) = ${fixed(c.v, 3)}`),
    );
    const clash = Math.abs(c.v) < PRINTED || taken.some((x) => Math.abs(x - c.x) < 36 * size);
    if (clash) return [art];
    taken.push(c.x);
    const x = Math.min(Math.max(c.x, 18 * size), line.width - 18 * size);
    const y = side === "start" ? height - h - 4 : h + 13 * size;
    return [art, svg(`text.${side}`, [x, y, "middle"], signed(c.v))];
  }));
}

/** With its sign; never 0.00 unless it is 0. */
const signed = (v) =>
  v === 0 ? "0" : Math.abs(v) < 0.005 ? "< 0.01" : v < 0 ? fixed(v) : `+${fixed(v)}`;

function outside(w, pull) {
  const others = w.tokens.map((_, pos) => pos).filter((pos) => pos !== w.clsAt && !w.inside(pos));
  const say = (side) =>
    el(
      `span.role-${side}`,
      `${side}: ${w.tokens[w.clsAt]} ${
        signed(pull[side][w.clsAt])
      }, question and separators together ${
        signed(others.reduce((sum, pos) => sum + pull[side][pos], 0))
      }. `,
    );
  return el(
    "span",
    "Outside the paragraph, ",
    say("start"),
    say("end"),
    "All arrows of one head add up to 0.",
  );
}
