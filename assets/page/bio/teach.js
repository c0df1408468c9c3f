// Both heads taught the same marks: real gradient steps on W, b and on S, E over the same hidden
// states, with undo.

import { el, fold, offers, svg, table } from "../shared/dom.js";
import { choice } from "../shared/controls.js";
import { curve } from "../shared/curve.js";
import { words } from "./words.js";

export function teachHeads({ taught }, page, view) {
  return fold(
    words.teach,
    el(
      "div.teach",
      taught.ready ? ready(taught, page, view) : [
        el("p", words.teach_needs),
        offers(taught.examples, page),
      ],
    ),
    { id: "bio-teach", open: view.open.has("bio-teach") },
  );
}

function ready({ steps, rates, losses, target, now }, page, view) {
  view.course ??= { rate: rates[1], loss: losses[0].key };
  const { course } = view;
  const chooser = (key, name, items) => {
    const pick = (value) => {
      course[key] = value;
    };
    return el(
      "label.lever",
      `${name} `,
      choice({ id: `bio-teach-${key}` }, items, course[key], pick),
    );
  };
  const act = (id, text, run, disabled = false) =>
    el("button.boxed.plain", { id: `bio-teach-${id}`, disabled, onclick: run }, text);
  return [
    el("p", words.teach_why),
    el("p.bio-says", target),
    el(
      "p.offers",
      chooser("rate", words.teach_rate, rates.map((r) => [r, r])),
      chooser("loss", words.teach_loss, losses.map((l) => [l.key, l.says])),
    ),
    el(
      "p.offers",
      act("every", words.every, () => page.input("preset", "every")),
      steps.map((n) =>
        act(
          n,
          n === 1 ? "1 step" : `${n} steps`,
          () => page.input("teach", { ...course, steps: n }),
        )
      ),
      act("undo", words.teach_undo, () => page.input("taught", "undo"), !now?.canUndo),
      act("reset", words.teach_reset, () => page.input("taught", "reset"), !now?.canUndo),
    ),
    ...(now ? result(now, page, view) : [el("p.role-quiet", words.teach_none)]),
  ];
}

function result(now, page, view) {
  const room = Math.max(260, view.root.clientWidth || 600);
  const wide = page.narrow ? room : Math.floor((room - 32) / 2);
  const part = (title, content) => el("figure", el("figcaption.role-quiet", title), content);
  return [
    el("p.bio-says[aria-live=polite]", now.says),
    el(
      "div.pair-figures",
      part(words.teach_tags, dumbbells(now.rows, "marginal", wide, page)),
      part(words.teach_pairs, dumbbells(now.rows, "share", wide, page)),
      now.steps
        ? [
          part(words.teach_tag_loss, curve(now.tagLosses, wide, page, { height: 7 })),
          part(
            words.teach_span_loss.replace("{floor}", now.floor),
            curve(now.spanLosses, wide, page, { height: 7 }),
          ),
        ]
        : null,
    ),
    table({
      caption: words.teach_table,
      head: [
        words.teach_span,
        words.teach_which,
        words.teach_marginal,
        words.teach_share,
        words.teach_score,
      ],
      rows: now.rows.map((r) => [r.text, words[r.key], r.marginalSays, r.shareSays, r.score]),
      select: now.rows.map((r) => [r.window, r.start, r.end]),
    }, page),
    now.steps ? el("p.role-quiet", words.teach_shown) : null,
  ];
}

/**
 * One row a span: hollow before, solid now; the rule at .5 is where a tagged span is likelier there
 * than not.
 */
function dumbbells(rows, key, width, page) {
  const em = 16 * page.scale;
  const names = Math.min(em * 9, width * 0.34);
  const [row, room, value] = [em * 1.7, Math.floor(names / (em * 0.52)), em * 3.4];
  const x = (p) => names + em * 0.4 + p * (width - names - em - value);
  return svg(
    "svg.dumbbells[role=img]",
    {
      width,
      height: row * (rows.length + 0.9),
      "aria-label": rows.map((r) => `${r.text}, ${words[r.key]}: ${r[`${key}Says`]}`).join("; "),
    },
    svg(
      "path.rule",
      `M${x(0)},${em * 0.4}V${row * rows.length + em * 0.4}M${x(1)},${em * 0.4}V${
        row * rows.length + em * 0.4
      }`,
    ),
    svg("text.quiet", [x(0), row * (rows.length + 0.9) - 4, "middle"], "0"),
    svg("text.quiet", [x(1), row * (rows.length + 0.9) - 4, "middle"], "1"),
    rows.flatMap((r, k) => {
      const y = row * (k + 0.65);
      const [before, after] = r[key].map(x);
      return [
        svg("path.rule", `M${x(0)},${y}H${x(1)}`),
        svg("path.went-line", `M${before},${y}H${after}`),
        svg("circle.hollow-dot", [before, y, 4.5 * page.scale]),
        svg("circle.ink", [after, y, 4.5 * page.scale]),
        svg("text", [0, y + em * 0.32], short(r.text, room), svg("title", r.text)),
        svg("text", [width, y + em * 0.32, "end"], r[`${key}Says`].split(" → ")[1]),
      ];
    }),
  );
}

// The middle of a long span matters least: the glued one shows where it starts and where it ends.
function short(text, n) {
  const letters = Array.from(text);
  if (letters.length <= n) return text;
  const half = Math.floor((n - 1) / 2);
  return `${letters.slice(0, half).join("")}…${letters.slice(-half).join("")}`;
}
