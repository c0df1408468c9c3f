// Windows as tents: min(left, right) context of each word piece, one triangle for each window; the
// owner in ink.

import { through } from "../shared/axes.js";
import { drawing, el, svg } from "../shared/dom.js";
import { grouped } from "../shared/numbers.js";
import { clamp, scaleLinear, ticks } from "../shared/scales.js";
import { goldSpans, wordAt } from "../shared/window.js";

const heightIn = (a, b, d) => Math.min(d - a, b - 1 - d);

/**
 * Which windows hold a word piece: {w, left, right, min, length}, the owner first, then the highest
 * tents.
 */
export function holders(layout, owner, d) {
  const found = [];
  layout.starts.forEach((a, w) => {
    const b = layout.stops[w];
    if (a <= d && d < b) {
      found.push({ w, left: d - a, right: b - 1 - d, min: heightIn(a, b, d), length: b - a });
    }
  });
  return found.sort((p, q) =>
    Number(q.w === owner) - Number(p.w === owner) || q.min - p.min || p.w - q.w
  );
}

export function ownerOf(layout, d) {
  return layout.owners.find(([a, b]) => a <= d && d < b)?.[2] ?? 0;
}

/** Why the owner owns: nothing to say, a tie, or the length term. */
export function reason(found) {
  const [owner, next] = found;
  if (!next || owner.min > next.min) return "";
  if (owner.min < next.min) {
    return "The owner has less context and wins by its length (0.01 × length is added).";
  }
  return owner.length === next.length
    ? "A tie: the earlier window owns it."
    : "A tie in context: the longer window owns it (0.01 × length decides).";
}

function envelope(layout, from, to) {
  const points = [];
  for (const [a, b, w] of layout.owners) {
    if (b <= from || a >= to) continue;
    const [o, stop] = [layout.starts[w], layout.stops[w]];
    const peak = (o + stop - 1) / 2;
    for (const d of [a, ...(peak > a && peak < b - 1 ? [peak] : []), b - 1]) {
      points.push([d + 0.5, heightIn(o, stop, d)]);
    }
  }
  return points;
}

const path = (points, x, y) => through(points.map(([d, h]) => [x(d), y(h)]));

/** Words at regular places, each with its own room; every word once there is room for all. */
function landmarks(page, from, to, x, width, em) {
  const { tokens, context } = page.reading;
  const marks = [];
  let free = -Infinity;
  for (let d = from; d < to; d += 1) {
    if (d > from && tokens[d].word === tokens[d - 1]?.word) continue;
    const last = wordAt(tokens, d, d, to).end;
    const text = context.slice(tokens[d].start, tokens[last].end);
    const room = text.length * em * 0.56 + em * 0.8;
    const at = x(d);
    if (text.length < 2 && x(d + 1) - at < em) continue;
    if (at < free || at + room > width) continue;
    marks.push({ at, text });
    free = at + Math.max(room, (to - from) > 80 ? em * 5.5 : 0);
  }
  return marks;
}

function spanMark(span, kind, x, top, height) {
  const [a, b] = [x(span.start), Math.max(x(span.end + 1), x(span.start) + 5)];
  if (kind === "selected") {
    return svg("rect.mark-selected", [a - 1.5, top - 4, b - a + 3, height + 8, 2]);
  }
  const y = top + height + (kind === "gold" ? 7 : 3);
  if (kind === "gold") {
    return svg("path.mark-gold", `M${a},${y}H${b}M${a},${y + 3}H${b}`);
  }
  return svg("path.mark-predicted", `M${a},${y}v5H${b}v-5`);
}

/** The marks of selection, prediction and gold on the ribbon; they move without a redraw. */
export function marks(parts, page) {
  const { group, x, ribbon, from, to } = parts;
  const seen = (s) => s && s.end >= from && s.start < to;
  const predicted = page.answer === null ? null : page.predicted;
  const golds = goldSpans(page.reading).map((s) => [s, "gold"]);
  group.replaceChildren(
    ...[...golds, [predicted, "predicted"], [page.selection, "selected"]]
      .filter(([s]) => seen(s)).map(([s, kind]) => spanMark(s, kind, x, ribbon.top, ribbon.height)),
  );
}

/**
 * Draw the tents of `layout` between the word pieces `from` and `to`; returns what the pointer and
 * the marks need.
 */
export function tents(layout, { from, to }, page, label, { small = false } = {}) {
  const em = 16 * page.scale;
  const width = Math.max(260, page.width);
  const pad = 2;
  const top = small ? 4 : em * 1.5;
  const tall = small ? em * 2 : (page.narrow ? 6 : 9) * em;
  const ribbon = { top: top + tall + 3, height: small ? 4 : em * 0.7 };
  const height = ribbon.top + ribbon.height + (small ? 6 : em * 3.6);
  const x = scaleLinear([from, to], [pad, width - pad]);
  const highest = Math.max(1, ...layout.starts.map((a, w) => (layout.stops[w] - a - 1) / 2));
  const y = scaleLinear([0, highest], [top + tall, top]);
  const seen = (a, b) => b > from && a < to;
  const cut = `tents-${small ? "small" : "large"}`;
  const root = drawing(width, height, { role: "img", "aria-label": label, class: "tents" });
  root.append(
    svg(
      "defs",
      svg("clipPath", { id: cut }, svg("rect", [0, 0, width, height])),
      svg("pattern", {
        id: `${cut}-hatch`,
        width: 6,
        height: 6,
        patternUnits: "userSpaceOnUse",
        patternTransform: "rotate(45)",
      }, svg("rect.ink", { width: 1.1, height: 6 })),
    ),
  );
  const body = svg("g", { "clip-path": `url(#${cut})` });
  const many = layout.starts.length > 30;
  layout.starts.forEach((a, w) => {
    const b = layout.stops[w];
    if (!seen(a, b)) return;
    const roof = [[a, 0], [a + 0.5, 0], [(a + b) / 2, (b - a - 1) / 2], [b - 0.5, 0], [b, 0]];
    body.append(svg(many ? "path.tent.many" : "path.tent", path(roof, x, y)));
  });
  layout.lost.filter((z) => seen(z.from, z.to)).forEach((z) => {
    const under = [];
    for (let d = z.from; d < z.to; d += 1) {
      const w = ownerOf(layout, d);
      const h = heightIn(layout.starts[w], layout.stops[w], d);
      under.push([d, h], [d + 1, h]);
    }
    body.append(
      svg("path.lost", `${path([[z.from, 0], ...under, [z.to, 0]], x, y)}Z`, {
        fill: `url(#${cut}-hatch)`,
      }),
    );
  });
  body.append(svg("path.envelope", path(envelope(layout, from, to), x, y)));
  for (const [a, b, n] of layout.copies) {
    if (!seen(a, b)) continue;
    body.append(
      svg("rect.ink", [x(a), ribbon.top, Math.max(0.5, x(b) - x(a)), ribbon.height], {
        "fill-opacity": Math.min(0.75, 0.1 + 0.16 * (n - 1)),
      }),
    );
  }
  const bottom = ribbon.top + ribbon.height;
  layout.owners.forEach(([a, , w], k) => {
    if (!k || !seen(a, a + 1) || a <= from || small) return;
    const high = y(heightIn(layout.starts[w], layout.stops[w], a));
    body.append(svg("path.handover", `M${x(a)},${high}V${bottom}`));
  });
  root.append(body);
  if (!small) {
    layout.lost.filter((z) => seen(z.from, z.to)).forEach((z) =>
      lostCount(root, { ...z, from: Math.max(z.from, from), to: Math.min(z.to, to) }, x, y(0), em)
    );
  }
  if (!small) annotate(root, { layout, from, to, x, ribbon, width, em, page, seen, top });
  const group = svg("g");
  root.append(group);
  return {
    root,
    group,
    x,
    ribbon,
    from,
    to,
    height,
    toToken: (px) =>
      clamp(Math.floor(from + ((px - pad) / (width - 2 * pad)) * (to - from)), 0, layout.n - 1),
  };
}

/** How many spans are lost from the starts of a shaded zone, where there is room to print it. */
function lostCount(root, zone, x, base, em) {
  const text = grouped(zone.spans);
  const room = x(zone.to) - x(zone.from);
  if (room < em * 0.6 * text.length) return;
  root.append(
    svg("text.lost-count", [(x(zone.from) + x(zone.to)) / 2, base - em * 0.35, "middle"], text),
  );
}

function annotate(root, { layout, from, to, x, ribbon, width, em, page, seen, top }) {
  const bottom = ribbon.top + ribbon.height;
  let free = -Infinity;
  for (const [a, b, w] of layout.owners) {
    if (!seen(a, b)) continue;
    const [left, right] = [x(Math.max(a, from)), x(Math.min(b, to))];
    const text = right - left > em * 5.2 ? `window ${w + 1}` : `${w + 1}`;
    const half = text.length * em * 0.25;
    const at = clamp((left + right) / 2, half, width - half);
    if (at - half < free) continue;
    root.append(svg("text.quiet", [at, top - em * 0.45, "middle"], text));
    free = at + half + em * 0.4;
  }
  for (const { at, text } of landmarks(page, from, to, x, width, em)) {
    root.append(
      svg("path.rule", `M${at + 0.5},${bottom + em * 0.55}v${em * 0.3}`),
      svg("text.words.small[direction=auto]", [at, bottom + em * 1.8], text),
    );
  }
  for (const { value: d } of ticks(x, { room: em * 9, least: 1 })) {
    if (d >= to) continue;
    const at = x(d + 0.5);
    if (at > width - em) continue;
    root.append(
      svg(
        "text.quiet",
        [Math.max(at, em * 0.3), bottom + em * 3, d === from ? "start" : "middle"],
        d,
      ),
    );
  }
}

/** The strip over a zoomed picture: the whole paragraph, and the part that is shown. */
export function overview(layout, range, page, label) {
  const drawn = tents(layout, { from: 0, to: layout.n }, page, label, { small: true });
  const [a, b] = [drawn.x(range.from), drawn.x(range.to)];
  drawn.root.append(svg("rect.viewport", [a, 1, Math.max(6, b - a), drawn.height - 3, 2]));
  drawn.root.classList.add("overview");
  return drawn;
}

/**
 * What is known about one word piece: its windows with left and right context, and why its owner
 * owns it.
 */
export function readout(layout, d, page) {
  const owner = ownerOf(layout, d);
  const found = holders(layout, owner, d);
  const token = page.reading.tokens[d];
  const text = page.reading.context.slice(token.start, token.end);
  const end = layout.stops[owner] - 1;
  const wanted = Math.min(layout.n - 1, d + layout.longest - 1);
  const rows = found.slice(0, 4).map(({ w, left, right, min }) =>
    el(
      "span",
      { class: w === owner ? "holder owner" : "holder" },
      `window ${w + 1}: min(${left}, ${right}) = ${min}`,
      w === owner ? el("strong", " owner") : null,
    )
  );
  const more = found.length > 4 ? el("span.holder", `and ${found.length - 4} more`) : null;
  const lost = wanted > end
    ? `An answer that starts here must end by word piece ${end}; ${wanted} would be short enough, ` +
      `but window ${owner + 1} ends first.`
    : "";
  const why = reason(found);
  return el(
    "div.readout",
    el("span.holder", `word piece ${d} `, el("bdi.serif", text)),
    rows,
    more,
    why || lost ? el("span.why", [why, lost].filter(Boolean).join(" ")) : null,
  );
}
