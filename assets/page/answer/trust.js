// How far to trust the reader: how often a probability comes true, and what each threshold costs.
// Both are drawn from figures measured once on held-out questions; nothing is computed here.

import { through, upwards } from "../shared/axes.js";
import { el, fold, legend, svg } from "../shared/dom.js";
import { beside, fixed } from "../shared/numbers.js";
import { max, scaleLinear, ticks } from "../shared/scales.js";

/**
 * The fold with both diagrams, side by side where there is room.
 * @param {any} data
 * @param {number} width of the stage
 * @param {any} page
 * @param {any} [before] the fold that this one replaces: it stays open
 */
export function trust(data, width, page, before) {
  const covered = (content) =>
    fold("how far to trust it", content, {
      class: "fold veil-part", // it tells how often the reader is right
      open: Boolean(before?.open),
      id: "answer-trust",
    });
  if (data.none) return covered(el("p", data.none));
  const em = 16 * page.scale;
  const each = Math.min(width, Math.max(em * 20, Math.min(em * 34, width / 2 - em)));
  return covered(
    el(
      "div.trust",
      ...[data.claim, data.reliability].filter(Boolean).map((found) =>
        diagram(reliability(found, each, em), found, [
          [blob("hollow before"), found.names[0]],
          [blob("ink"), found.names[1]],
          [sample("rule-ink dashed"), "comes true"],
        ])
      ),
      data.curve
        ? diagram(curve(data.curve, each, em), data.curve, [
          [sample("rule-ink"), "right answers withheld"],
          [sample("rule-ink dashed"), "answered though there is no answer"],
        ])
        : null,
    ),
  );
}

/** What the marks mean stands above: inside a diagram there is always a line in the way. */
const diagram = (art, { said }, marks) => el("figure", legend(marks), art, el("figcaption", said));

/**
 * The frame of a diagram: scales, ticks with percent at the left, and the names of both axes.
 * @param {{width: number, height: number, em: number, x: [number, number], names: string[],
 *   label: string, percent?: boolean}} about
 */
function frame({ width, height, em, x: domain, names, label, percent = false }) {
  const left = em * 3.2;
  const [top, bottom] = [em * 2.4, height - em * 3];
  const x = scaleLinear(domain, [left, width - em * 1.8]);
  const y = scaleLinear([0, 100], [bottom, top]);
  const art = svg("svg.trust-art[role=img]", { width, height, "aria-label": label });
  const levels = [0, 25, 50, 75, 100].map((at) => ({ at: y(at), text: `${at} %` }));
  art.append(
    ...upwards(levels, left, width - em * 1.8, left - em * 0.4, em * 0.28),
    ...ticks(x, { room: em * 4, em: em * 0.8 }).map(({ at, text }) =>
      svg("text.quiet", [at, bottom + em * 1.2, "middle"], percent ? `${text} %` : text)
    ),
    svg("text.quiet", [left, em * 0.85], names[1]),
    svg("text.quiet", [width - em * 1.8, height - em * 0.5, "end"], names[0]),
  );
  return { art, x, y, top, bottom };
}

/** Dots on the diagonal would be honest; their area is the number of questions. */
function reliability({ before, after, names }, width, em) {
  const { art, x, y } = frame({
    width,
    height: em * 18,
    em,
    x: [0, 100],
    names: ["probability of the best span", "exactly right"],
    label: `How often a probability comes true: ${names.join(" and ")}`,
    percent: true,
  });
  const most = max([...before, ...after], (row) => row.count) ?? 1;
  const radius = (row) => em * (0.16 + 0.5 * Math.sqrt(row.count / most));
  art.append(
    svg("line.rule-ink.dashed", [x(0), y(0), x(100), y(100)]),
    path(before, x, y, "role-before"),
    path(after, x, y, "role-after"),
    ...before.map((row) => dot(row, x, y, radius(row), "hollow before")),
    ...after.map((row) => dot(row, x, y, radius(row), "ink")),
  );
  return art;
}

const path = (rows, x, y, kind) =>
  svg(
    `path.rule-ink.thin.${kind}`,
    through(rows.map((row) => [x(100 * row.mean_prob), y(100 * row.accuracy)])),
  );

const dot = (row, x, y, r, kind) =>
  svg(
    "circle",
    [x(100 * row.mean_prob), y(100 * row.accuracy), r],
    { class: kind },
    svg(
      "title",
      `${row.count} questions: claimed ${whole(100 * row.mean_prob)}, exactly right ${
        whole(100 * row.accuracy)
      }`,
    ),
  );

const whole = (x) => `${fixed(x, 0)} %`;

const sample = (kind) => svg("path", "M1,8H25", { class: kind });
const blob = (kind) => svg("circle", [13, 8, 6], { class: kind });

/** A strip over one measured threshold: its shares are read at the pointer. */
const touched = (p, at, em, top, bottom) =>
  svg(
    "rect.target",
    [at - em / 4, top, em / 2, bottom - top],
    svg(
      "title",
      `threshold ${beside(-p.threshold)}: right answers withheld ${whole(p.withheld_right)}, ` +
        `answered without an answer ${whole(p.wrongly_answered)}, right choice ${
          whole(p.accuracy)
        }`,
    ),
  );

/** Two shares that no threshold makes small at once; it is strict at the right, as on the logit line. */
function curve({ points, chosen, threshold }, width, em) {
  const [first, last] = [points[0], points[points.length - 1]];
  const { art, x, y, top, bottom } = frame({
    width,
    height: em * 18,
    em,
    x: [-last.threshold, -first.threshold],
    names: ["threshold above “no answer” (− below)", "of the questions of its kind"],
    label: "Right answers withheld and questions without an answer answered, by threshold",
  });
  const line = (name) => through(points.map((p) => [x(-p.threshold), y(p[name])]));
  art.append(
    svg("path.rule-ink", line("withheld_right")),
    svg("path.rule-ink.dashed", line("wrongly_answered")),
    ...points.map((p) => touched(p, x(-p.threshold), em, top, bottom)),
    svg("path.rule-ink.thin", `M${x(-chosen)},${bottom}v${em * 0.4}`),
  );
  const [low, high] = x.domain();
  if (threshold !== null && -threshold >= low && -threshold <= high) {
    const at = x(-threshold);
    const right = at > width * 0.7;
    art.append(
      svg("line.threshold-bar", [at, top, at, bottom]),
      svg("text.threshold-text", [
        at + em * (right ? -0.4 : 0.4),
        top - em * 0.4,
        right ? "end" : "start",
      ], `in use: ${beside(-threshold)}`),
    );
  }
  return art;
}
