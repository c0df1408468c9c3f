// One line of text as typed, measured: where each word stands and where each word piece ends.

import { svg } from "../shared/dom.js";
import { measurer } from "../shared/labels.js";
import { direction, rightToLeft } from "../shared/prose.js";
import { wordAt } from "../shared/window.js";

/**
 * Lay the word pieces `from` to `to` (doc) on one line: `edge(k)` is the x of the border before
 * piece k, fractions included.
 */
export function layLine(page, from, to, size) {
  const { tokens, context } = page.reading;
  const width = measurer(size);
  const blank = width(" ");
  const words = [];
  const lefts = [];
  const rights = [];
  let x = 0;
  for (let a = from; a <= to;) {
    const b = wordAt(tokens, a, a, to + 1).end;
    const text = context.slice(tokens[a].start, tokens[b].end);
    const whole = width(text);
    words.push({ x, width: whole, text, from: a, to: b });
    for (let k = a; k <= b; k += 1) {
      lefts.push(x + width(context.slice(tokens[a].start, tokens[k].start)));
      rights.push(k === b ? x + whole : x + width(context.slice(tokens[a].start, tokens[k].end)));
    }
    x += whole + blank;
    a = b + 1;
  }
  const total = Math.max(0, x - blank);
  const edges = [0];
  for (let k = 1; k < lefts.length; k += 1) edges.push((rights[k - 1] + lefts[k]) / 2);
  edges.push(total);
  const rtl = rightToLeft(context);
  const turn = (at) => (rtl ? total - at : at);
  const edge = (k) => {
    const u = Math.min(Math.max(k - from, 0), edges.length - 1);
    const low = Math.min(Math.floor(u), edges.length - 2);
    return turn(edges[low] + (u - low) * (edges[low + 1] - edges[low]));
  };
  return {
    words: words.map((w) => ({ ...w, centre: turn(w.x + w.width / 2) })),
    edge,
    total,
    rtl,
    size,
    middle: (k) => turn((lefts[k - from] + rights[k - from]) / 2),
    glyphs: (a, b) => [turn(lefts[a - from]), turn(rights[b - from])].sort((p, q) => p - q),
  };
}

/**
 * The first two or more words that run against the line, as typed, or null. They keep the line's
 * order: were they turned, a span that ends inside them would stand in two places, and the cell
 * above it over neither; with three of eleven words turned, 16 of 66 spans would.
 * @param {{text: string}[]} words
 * @param {boolean} rtl
 */
export function turned(words, rtl) {
  /** @type {string[]} */
  let run = [];
  for (const { text } of words) {
    const way = direction(text);
    if (way === (rtl ? "ltr" : "rtl")) run.push(text);
    else if (run.length > 1) break;
    else if (way) run = [];
  }
  return run.length > 1 ? run.join(" ") : null;
}

/**
 * The words of a line between two x as SVG text, with ticks at the borders of word pieces; `shift`
 * is subtracted from x.
 */
export function lineText(line, y, shift, width) {
  return line.words.filter((w) =>
    w.centre + w.width / 2 > shift - 20 && w.centre - w.width / 2 < shift + width + 20
  ).flatMap((w) => {
    const ticks = [];
    for (let k = w.from + 1; k <= w.to; k += 1) {
      ticks.push(svg("path.tick", `M${line.edge(k) - shift},${y + 4}v4`));
    }
    return [
      svg(
        "text.words",
        [w.centre - shift, y, "middle"],
        { style: { fontSize: `${line.size}px` } },
        w.text,
      ),
      ...ticks,
    ];
  });
}
