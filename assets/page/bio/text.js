// Chapter 7's text: the paragraph's own words with one bar a token above them and rows of letters,
// spans or losses below. Runs of tokens that are surely outside are one line each, and open when
// they are chosen.

import { fixed } from "../shared/numbers.js";
import { el, focusIn, sized, svg } from "../shared/dom.js";
import { selectable } from "../shared/keys.js";
import {
  boxes,
  breakLines,
  centre,
  item,
  itemAt,
  makeLine,
  markText,
  settle,
  tabStop,
} from "../shared/lines.js";
import { words } from "./words.js";

const SHORT = 14;
const AROUND = 5;
const MANY = 12; // lines; more of them scroll in a box of their own
const LETTERS = ["B", "I", "O"];

/** The stripes of I, once in the page: svg patterns are found by id. */
export function stripes() {
  return svg(
    "svg.pattern-box[aria-hidden=true]",
    { width: 0, height: 0 },
    svg(
      "defs",
      svg(
        "pattern#bio-stripes",
        { width: 4, height: 4, patternUnits: "userSpaceOnUse" },
        svg("path.stripe", "M0,1H4"),
      ),
    ),
  );
}

/**
 * {root, draw(model), mark(model)}: model has page, p [3 D], keep, sure, joins, rows, targets,
 * losses.
 */
export function tagText() {
  const rows = el("div.bio-rows");
  const root = el("div.bio-text[role=group]", rows);
  /** @type {any} */
  const view = { root, rows, key: "", lines: [], unfolded: new Set(), pending: null, model: null };
  selectable(root, {
    rows: ["hit", "word"],
    drags: ["hit", "word"],
    now: () => {
      const { page, targets } = view.model;
      return { chosen: page.selection, dir: view.lines[0]?.dir, marks: Boolean(targets) };
    },
    commit: (span) => view.model.page.select({ window: null, ...span }),
    pend: (span) => {
      view.pending = span;
      mark(view);
    },
  });
  return {
    root,
    draw(model) {
      view.model = model;
      root.setAttribute("aria-label", words.bars);
      const { reading, scale } = model.page;
      const key = [reading.context, reading.stamp, ...model.open, rows.clientWidth, scale].join(
        " ",
      );
      if (key !== view.key) lay(view);
      view.key = key;
      fill(view);
      mark(view);
      root.classList.toggle("text-box", view.lines.length > MANY);
      reveal(view);
    },
    mark(model) {
      view.model = model;
      const chosen = model.page.selection;
      if (chosen && !lineOf(view, chosen.start)) {
        view.unfolded.add(chosen.start);
        lay(view);
        fill(view);
      }
      mark(view);
    },
  };
}

const lineOf = ({ lines }, doc) => lines.find(({ first, last }) => first <= doc && doc <= last);

/** Bring the answer of another text into sight; under the veil that would tell where it stands. */
function reveal(view) {
  const { root, model: { page } } = view;
  const place = `${page.predicted?.start} ${page.reading.context}`;
  if (place === view.place || !root.clientHeight) return;
  view.place = place;
  const at = page.selection ?? page.predicted;
  const line = at && lineOf(view, at.start);
  if (!line || document.body.matches(".veiled, .covering")) return;
  const [inner, outer] = [line.node, root].map((node) => node.getBoundingClientRect().top);
  root.scrollTop += inner - outer - root.clientHeight / 3;
}

/**
 * Neighbouring tokens that are drawn, with a little text around them: [first, last] of each
 * stretch.
 */
export function stretches(p, keep, sure, unfolded = []) {
  const n = p.length / 3;
  const on = Array.from({ length: n }, (_, d) => p[3 * d + 2] <= sure);
  for (const [a, b] of keep) for (let d = a; d <= b; d += 1) on[d] = true;
  for (const d of unfolded) on[d] = true;
  /** @type {number[][]} */
  const found = [];
  for (let d = 0; d < n; d += 1) {
    if (!on[d]) continue;
    const from = Math.max(0, d - AROUND);
    const to = Math.min(n - 1, d + AROUND);
    const before = found.at(-1);
    if (before && from - before[1] <= SHORT) before[1] = to;
    else found.push([from, to]);
  }
  const last = found.at(-1);
  if (last && found[0][0] <= SHORT) found[0][0] = 0;
  if (last && n - 1 - last[1] <= SHORT) last[1] = n - 1;
  return found.length || n > 60 ? found : [[0, n - 1]];
}

function lay(view) {
  const { model, rows, unfolded } = view;
  const { page, p, keep, sure, joins } = model;
  const held = item(focusIn(view.root));
  const { context, tokens } = page.reading;
  const whole = stretches(p, keep, sure, unfolded).map(([a, b]) => {
    let [first, last] = [a, b]; // never cut a word
    while (first > 0 && joins(first)) first -= 1;
    while (last + 1 < tokens.length && joins(last + 1)) last += 1;
    return [first, last];
  });
  view.lines = [];
  const nodes = [];
  let at = 0;
  for (const [first, last] of whole) {
    if (first > at) nodes.push(folded(view, at, first - 1));
    const text = { context, tokens, first, last, joins };
    const broken = breakLines(rows, text, rows.clientWidth);
    for (const piece of broken) {
      const line = makeLine(piece, text, broken.dir);
      line.dir = broken.dir;
      view.lines.push(line);
      nodes.push(line.node);
    }
    at = last + 1;
  }
  if (at < tokens.length) nodes.push(folded(view, at, tokens.length - 1));
  rows.replaceChildren(...nodes);
  settle(view.lines, tokens);
  if (held) itemAt(view.root, "hit", held.first)?.focus({ preventScroll: true });
}

function folded(view, first, last) {
  const { p } = view.model;
  let low = 1;
  for (let d = first; d <= last; d += 1) low = Math.min(low, p[3 * d + 2]);
  const least = low > 0.9995 ? "> 0.999" : fixed(low, 3);
  const run = `… ${last - first + 1} tokens, each with p(O) > 0.98, the smallest ${least}`;
  return el("button.folded", {
    onclick: () => {
      for (let d = first; d <= last; d += 1) view.unfolded.add(d);
      lay(view);
      fill(view);
      mark(view);
      itemAt(view.root, "hit", first)?.focus();
    },
  }, first === last ? "… 1 token with p(O) > 0.98" : run);
}

const printed = (x) => (x > 0.995 ? "> 0.99" : fixed(x));

/** The number of a tag at a token, and how much of it is inside an answer: B and I together. */
const inside = (p, doc) => p[3 * doc] + p[3 * doc + 1];

function fill({ model, lines, rows }) {
  rows.classList.toggle("labelled", model.below.length > 0);
  const size = model.page.scale;
  const full = 44 * size;
  const top = 16 * size;
  lines.forEach((line, k) => {
    const high = Math.max(
      ...[...line.places.keys()].map((doc) =>
        Math.max(inside(model.p, doc), model.targets ? inside(model.targets, doc) : 0)
      ),
    );
    const tall = k === 0 || high >= 0.1; // a line where nothing is tagged needs no room for it
    const height = tall ? full + top : Math.max(4 * size, high * full + 3 * size);
    sized(line.above, line.width, height);
    line.above.replaceChildren(
      bars(line, model, { size, full, height, first: k === 0, tall }),
      hits(line, model, height),
    );
    sized(line.below, line.width, Math.max(2, below(line, model, size)));
  });
}

function bars(line, { p, targets }, { size, full, height, first, tall }) {
  const wide = 8 * size;
  const parts = [svg("path.rule", `M0,${height - 0.5}H${line.width}`)];
  if (tall) parts.push(svg("path.rule", `M0,${height - full}H${line.width}`));
  let free = -Infinity;
  for (const doc of line.places.keys()) {
    const x = centre(line, doc);
    const [b, i] = [p[3 * doc] * full, p[3 * doc + 1] * full];
    if (b + i >= 0.6) {
      parts.push(
        svg("rect.tag-b", [x - wide / 2, height - b, wide, b]),
        svg("rect.tag-i", [x - wide / 2, height - b - i, wide, i], { fill: "url(#bio-stripes)" }),
      );
    }
    const t = targets ? inside(targets, doc) : 0;
    for (const at of new Set(t ? [targets[3 * doc], t].filter(Boolean) : [])) {
      parts.push(
        svg("rect.target-tick", [x - wide, height - at * full - 1.5 * size, 2 * wide, 3 * size]),
      );
    }
    const top = p[3 * doc] >= p[3 * doc + 1] ? 0 : 1;
    const text = `${LETTERS[top]} ${printed(p[3 * doc + top])}`;
    const half = text.length * 3.6 * size;
    // a label never lies on a target's tick, nor on a neighbour's bar
    const over = Math.max(b + i, t && t * full + 1.5 * size);
    const hidden = [...line.places.keys()].some((other) =>
      other !== doc && Math.abs(centre(line, other) - x) < half + wide / 2 &&
      inside(p, other) * full > over + 3 * size
    );
    if (inside(p, doc) >= 0.1 && x - half > free && !hidden) {
      parts.push(
        svg("text", [x, height - over - 4 * size, "middle"], {
          class: p[3 * doc + top] >= 0.5 ? null : "quiet",
        }, text),
      );
      free = x + half;
    }
  }
  if (first) {
    const x = line.width + 6 * size;
    parts.push(
      svg(
        "path.rule-quiet",
        `M${x - 4 * size},${height - full}h${4 * size}v${full - 1}h${-4 * size}`,
      ),
      svg("text.quiet", [0, 0, "middle"], {
        transform: `translate(${x + 12 * size},${height - full / 2}) rotate(-90)`,
      }, "sum = 1"),
    );
  }
  return svg("g[aria-hidden=true]", parts);
}

function hits(line, { p, page }, height) {
  return svg(
    "g",
    [...line.places].map(([doc, { left, width }]) =>
      svg("rect.hit[role=button][tabindex=-1]", [left, 0, Math.max(1, width), height], {
        "data-doc": doc,
        "aria-label": `${page.reading.tokens[doc].text}: B ${fixed(p[3 * doc], 3)}, I ${
          fixed(p[3 * doc + 1], 3)
        }, O ${fixed(p[3 * doc + 2], 3)}`,
      })
    ),
  );
}

// Rows under the words: {name, letters, marks, spans, kind}; then one lane of losses.
function below(line, { below: rows, losses }, size) {
  const step = 19 * size;
  const parts = [];
  const docs = [...line.places.keys()];
  const some = rows.some((row) =>
    row.spans?.some(([a, b]) => a <= line.last && b >= line.first) ||
    (row.letters && docs.some((doc) => row.letters[doc] !== "O"))
  ) ||
    (losses && docs.some((doc) => losses.loss[doc] >= 0.05 * losses.top));
  line.below.replaceChildren();
  if (!some) return 6 * size; // every row is empty here
  let y = 4 * size;
  for (const row of rows) {
    parts.push(svg("text.quiet.row-name", [-10 * size, y + step * 0.7, "end"], row.name));
    for (const { left, right } of (row.spans ?? []).flatMap(([a, b]) => boxes(line, a, b))) {
      parts.push(
        svg("path", `M${left + 1},${y + 3 * size}v${4 * size}H${right - 1}v${-4 * size}`, {
          class: `span-line ${row.kind ?? ""}`,
        }),
      );
    }
    for (const doc of row.letters ? docs : []) {
      const [x, letter] = [centre(line, doc), row.letters[doc]];
      const [name, sign] = letter === "O" ? ["text.letter.none", "·"] : ["text.letter", letter];
      parts.push(svg(name, [x, y + step * 0.7, "middle"], sign));
      if (!row.marks?.includes(doc)) continue;
      const stroke = `M${x - 7 * size},${y + step * 0.85}l${14 * size},${-step * 0.75}`;
      parts.push(svg("path.illegal", stroke, svg("title", words.illegal)));
    }
    y += step;
  }
  if (losses) y = lossLane(line, losses, parts, y, size);
  line.below.replaceChildren(svg("g[aria-hidden=true]", parts));
  return y + 6 * size;
}

function lossLane(line, { loss, floor, top }, parts, y, size) {
  const full = 40 * size;
  const scale = full / Math.max(top, 0.5);
  const wide = 8 * size;
  parts.push(
    svg("text.quiet.row-name", [-10 * size, y + 12 * size, "end"], "loss"),
    svg("path.rule", `M0,${y + 0.5}H${line.width}`),
  );
  let free = -Infinity;
  for (const doc of line.places.keys()) {
    if (loss[doc] * scale < 0.6) continue;
    const x = centre(line, doc);
    const low = floor[doc] * scale;
    const all = loss[doc] * scale;
    parts.push(
      svg("rect.loss-floor", [x - wide / 2, y, wide, low]),
      svg("rect.loss-kl", [x - wide / 2, y + low, wide, all - low]),
    );
    const half = 14 * size;
    if (loss[doc] >= 0.05 * top && x - half > free) {
      parts.push(svg("text", [x, y + all + 12 * size, "middle"], fixed(loss[doc])));
      free = x + half;
    }
  }
  return y + full + 16 * size;
}

function mark({ model: { page }, lines, root, pending }) {
  const predicted = page.answer === null ? null : page.predicted;
  markText(root, lines, page.reading, { predicted, chosen: page.selection, pending });
  tabStop(root, "hit", page.selection?.start);
}
