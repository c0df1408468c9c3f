// Step 3, merge: the rules as a rank chart, winner minus rival added up, one constant to move,
// three choices to make.

import { choice, radios } from "../shared/controls.js";
import { drawing, el, focusIn, grid, press, pressed, roving, row, svg } from "../shared/dom.js";
import { saying } from "./key.js";
import { addend, fixed } from "../shared/numbers.js";
import { clipped } from "../shared/prose.js";

const SHOWN = 8;
const HINT = "A line is a span, its height the rank; crossing lines are disagreement. Press a " +
  "column's head to compare its rule.";
const LEGEND =
  "* not comparable between windows. A solid bar marks the page's rule, a dashed one " +
  "the rule it is compared with. A cross marks two maxima that form no legal span.";

const same = (a, s) => a && a.start === s.start && a.end === s.end;

/** Two lines for a column's head, broken at the blank that balances them. */
function broken(text) {
  const words = text.split(" ");
  if (words.length < 2) return [text];
  const cuts = words.slice(1).map((_, k) =>
    [words.slice(0, k + 1), words.slice(k + 1)].map((part) => part.join(" "))
  );
  const width = (cut) => Math.max(...cut.map((line) => line.length));
  return cuts.toSorted((a, b) => width(a) - width(b))[0];
}

const isStacked = (page) => page.narrow || page.width < 16 * page.scale * 44;
/**
 * On a narrow screen the lines have no names beside them: a list under the chart names them by
 * their rank in the first column.
 */
function names(data, page) {
  return el(
    "ol.names",
    data.spans.map((s, k) =>
      el(
        "li",
        el(
          "button.plain",
          { dataset: { keep: `name-${k}`, span: k }, onclick: () => page.select(s) },
          el("span.role-quiet.tabular", data.columns[0].ranks[k] ?? "lower", "  "),
          el("bdi.serif", s.text),
        ),
      )
    ),
  );
}

function chart(data, page, held, redraw) {
  const em = 16 * page.scale;
  const wide = Math.max(260, page.width);
  const stacked = isStacked(page);
  const left = stacked ? em * 1.6 : Math.min(em * 18, wide * 0.3);
  const top = em * (stacked ? 7.4 : 3.4);
  const row = em * 1.9;
  const lanes = SHOWN + 1;
  const height = top + (lanes + 0.6) * row;
  const right = em * (stacked ? 5 : 3.2);
  const gap = (wide - left - em - right) / Math.max(1, data.columns.length - 1);
  const x = (c) => left + em + c * gap;
  const y = (rank) => top + (rank && rank <= SHOWN ? rank - 0.5 : SHOWN + 0.6) * row;
  const root = drawing(wide, height, {
    role: "group",
    "aria-label": "Rank of the best spans under each merge rule",
    class: "ranks",
  });
  for (let rank = 1; rank <= SHOWN; rank += 1) {
    root.append(svg("path.rule", `M${left},${y(rank)}H${wide - right}`));
    if (stacked) root.append(svg("text.quiet", [0, y(rank) + em * 0.3], rank));
  }
  const first = data.columns[0].ranks;
  const isListed = (k) => first[k] && first[k] <= SHOWN;
  const below = data.spans.filter((_, k) => !isListed(k)).map((s) => s.text).join(", ");
  root.append(
    svg(
      "text.quiet",
      [stacked ? 0 : left - em * 0.6, y(null) + em * 0.3, stacked ? "start" : "end"],
      stacked || !below
        ? "lower"
        : `lower: ${clipped(below, Math.floor((left - em * 5) / (em * 0.5)))}`,
    ),
  );
  heads(root, { data, x, gap, em, stacked, top, held, redraw });
  const rules = data.columns.map((column, c) => ({ ...column, x: x(c) })).filter((c) => !c.pair);
  const lines = data.spans.map((span, k) => {
    const points = rules.map(({ x, ranks }) => [x, y(ranks[k])]);
    const label = `${span.text}: ${
      rules.map(({ short, ranks }) => `${short} ${ranks[k] ? `rank ${ranks[k]}` : "lower"}`)
        .join(", ")
    }`;
    const group = svg(
      "g.line[role=button]",
      {
        "aria-label": label,
        dataset: { keep: `span-${k}`, at: k, says: label },
        ...pressed(() => page.select(span)),
      },
      svg("polyline.grab", { points: points.join(" ") }),
      svg("polyline.stroke", { points: points.join(" ") }),
      points.map((at, c) =>
        rules[c].ranks[k] === 1
          ? svg("circle.won", [...at, em * 0.42])
          : svg("circle.node", [...at, em * 0.2])
      ),
    );
    if (!stacked && isListed(k)) {
      const text = clipped(span.text, Math.floor((left - em * 2.2) / (em * 0.5)));
      const at = [left - em * 0.6, y(first[k]) + em * 0.3, "end"];
      group.append(svg("text.words.small", at, `${first[k]}  ${text}`));
    }
    return group;
  });
  root.append(...lines);
  data.columns.forEach((column, c) => column.pair && pair(root, column.pair, x(c), y, em));
  held.lines = lines;
  roving(root, ".line", { horizontal: false });
  return root;
}

/**
 * The textbook's two maxima: a ring on the first rank when they form a span, a cross with the
 * reason when not.
 */
function pair(root, { legal, reason }, x, y, em) {
  const r = em * 0.42;
  const title = svg(
    "title",
    legal ? "The two maxima form this legal span." : `The two maxima form no legal span: ${reason}`,
  );
  const cross = `M${x - r},${y(1) - r}l${2 * r},${2 * r}m0,${-2 * r}l${-2 * r},${2 * r}`;
  root.append(legal ? svg("circle.ring", [x, y(1), r], title) : svg("path.cross", cross, title));
}

/** Column heads are buttons: press one to compare its rule with the page's. */
function heads(root, { data, x, gap, em, stacked, top, held, redraw }) {
  data.columns.forEach((column, c) => {
    const chosen = column.name === data.chosen;
    const compared = column.name === held.with;
    const says = `${column.name}. ${column.verdict}`;
    const kinds = Object.entries({ unsound: !column.sound, chosen, compared });
    const group = svg("g[role=button][tabindex=0]", {
      class: ["head", ...kinds.filter(([, on]) => on).map(([kind]) => kind)].join(" "),
      "aria-pressed": compared,
      "aria-label": says,
      dataset: { keep: `head-${c}` },
      ...pressed(() => {
        held.with = column.name;
        redraw(`head-${c}`);
      }),
    }, svg("title", says));
    const text = `${column.short}${column.sound ? "" : " *"}`;
    if (stacked) {
      group.append(
        svg("rect[fill=transparent]", [x(c) - gap / 2, 0, gap, top]),
        svg("text", [0, 0], {
          transform: `translate(${x(c) + em * 0.25},${top - em * 0.5}) rotate(-55)`,
        }, text),
      );
    } else {
      const lines = broken(text);
      group.append(
        svg("rect[fill=transparent]", [x(c) - gap / 2 + 2, 0, gap - 4, top - em * 0.4]),
        ...lines.map((line, k) =>
          svg("text", [x(c), top - em * (0.9 + 1.15 * (lines.length - 1 - k)), "middle"], line)
        ),
      );
    }
    root.append(group);
    if (compared || chosen) {
      root.append(
        svg("path", `M${x(c) - em * 0.9},${top - em * 0.3}h${em * 1.8}`, {
          class: compared ? "compare-bar" : "chosen-bar",
        }),
      );
    }
  });
}

function comparison(data, held) {
  const found = data.compare[held.with];
  const column = data.columns.find((c) => c.name === held.with);
  const sums = found.rows.map((row) =>
    el(
      "p.sum-row",
      el(
        "span.sum-rule",
        row.label,
        el("span.addend-name", row.ahead ? "the winner leads" : "the rival leads"),
      ),
      row.parts.map((part, k) =>
        el(
          "span",
          { class: `role-${part.role} addend` },
          addend(part.value, k === 0),
          el("span.addend-name", part.name),
        )
      ),
      el("span.sum-sign", ` ${row.sign} `),
      el("strong", row.total),
    )
  );
  return el(
    "div.comparison",
    el(
      "h3",
      column.name,
      column.name === data.chosen ? el("span.role-quiet", " (the page's rule)") : null,
    ),
    el("p.verdict", column.verdict),
    found.head ? el("p.role-quiet", found.head) : null,
    sums,
    el("p", found.says),
  );
}

/** "Break it" stands beside each wrong rule; what was found stays until another search. */
function breaking(data, page, held) {
  const one = ({ breaks, short }) => {
    const { says = "", example = null } = held.broken?.[breaks] ?? {};
    return el(
      "div.break",
      boxed(
        `break-${breaks}`,
        `Break it: ${short}`,
        () => page.input("break", breaks, `break ${breaks}`),
      ),
      el("span.broken[role=status]", says),
      example && boxed(`open-${breaks}`, "open this example", () => page.open(example)),
    );
  };
  return el("div.breaking", data.columns.filter((c) => !c.sound && c.breaks).map(one));
}

/** A button that keeps the focus through a redraw by its name. */
const boxed = (keep, text, onclick, more = {}) =>
  el("button.plain.boxed", { dataset: { keep }, onclick, ...more }, text);

function offset(picture, page) {
  const data = picture.offset;
  const shown = el("output.tabular", data.printed);
  const input = el("input#windows-offset[type=range]", {
    min: data.low,
    max: data.high,
    step: data.step,
    value: data.c,
    dataset: { keep: "offset" },
    oninput: () => {
      shown.textContent = Number(input.value) > 0
        ? `+${fixed(Number(input.value))}`
        : input.value.replace("-", "−");
    },
    onchange: () => to(Number(input.value)),
  });
  const to = (c, window = data.window) => page.input("offset", { window, c });
  const about = { id: "windows-offset-window", "aria-label": "window" };
  const which = choice(
    { ...about, dataset: { keep: "offset-window" } },
    Array.from({ length: data.windows }, (_, w) => [w, w + 1]),
    data.window,
    (window) => to(0, window),
  );
  const at = (v) => `calc(0.5rem + (100% - 1rem) * ${(v - data.low) / (data.high - data.low)})`;
  const tick = data.flip !== null && data.flip >= data.low && data.flip <= data.high
    ? el("span.flip-tick[aria-hidden=true]", { style: { left: at(data.flip) } }, "▾")
    : null;
  const moved = data.c !== 0;
  const after = (r) => [
    el("td", { class: r.moves ? "moves" : "" }, r.after),
    el("td.role-quiet", r.moves ? "moves" : "stays still"),
  ];
  const rows = data.rows.map((r) => row(r.name, [r.before, moved ? after(r) : []]));
  return el(
    "section.offset",
    el(
      "h3",
      el("label[for=windows-offset]", "Add ", el("i", "c"), " to every logit of window "),
      which,
    ),
    el(
      "div.offset-row",
      el("div.offset-track", tick, input),
      el("span.c-value", "c = ", shown),
      data.past !== null && boxed("past", "turn the winner", () => to(data.past)),
      boxed("zero", "back to 0", () => to(0), { disabled: !moved }),
    ),
    el("p", data.says),
    rows.length
      ? grid("table.still", {
        label: "The best span of the window:",
        caption: ["The best span of the window:", " ", el("bdi.serif", data.span)],
        head: ["", "c = 0", ...(moved ? [`c = ${data.printed}`, ""] : [])],
        rows,
      })
      : null,
  );
}

function options(data, page) {
  const value = Object.fromEntries(data.options.map((g) => [g.name, g.value]));
  return el(
    "section.merge-options",
    el("h3", "The page's merge rule"),
    el(
      "div.groups",
      data.options.map((group) =>
        el(
          "fieldset",
          { id: `windows-${group.name}` },
          el("legend", group.name),
          radios(
            `windows-merge-${group.name}`,
            group.choices.map((c) => [
              c.value,
              el("span", el("code", c.value), el("span.help", c.help)),
              c.fits ? null : "unfit",
            ]),
            group.value,
            (choice) => page.input("merge", { ...value, [group.name]: choice }),
            (choice) => ({
              disabled: !group.choices.find((c) => c.value === choice).fits,
              dataset: { keep: `${group.name}-${choice}` },
            }),
          ),
        )
      ),
    ),
  );
}

export function draw(stage, picture, page, held) {
  const { merge: data } = picture;
  const focused = focusIn(stage)?.dataset.keep ?? null;
  held.broken = {
    ...held.broken,
    ...(picture.broken ? { [picture.broken.rule]: picture.broken } : {}),
  };
  if (held.chosen !== data.chosen || !data.columns.some((c) => c.name === held.with)) {
    held.with = data.rival;
  }
  held.chosen = data.chosen;
  const redraw = (keep) => {
    draw(stage, picture, page, held);
    stage.querySelector(`[data-keep="${keep}"]`)?.focus();
  };
  const root = chart(data, page, held, redraw);
  stage.replaceChildren(
    root,
    saying(root, ".line", HINT),
    isStacked(page) ? names(data, page) : "",
    el("p.w-legend", LEGEND),
    el("p.truths", data.truths),
    el("div.merge-grid", comparison(data, held), offset(picture, page)),
    breaking(data, page, held),
    options(data, page),
  );
  select(stage, picture, page, held);
  if (focused) stage.querySelector(`[data-keep="${focused}"]`)?.focus();
}

/** The selected span's line in full ink. */
export function select(stage, picture, page, held) {
  held.lines?.forEach((line, k) => {
    const chosen = same(page.selection, picture.merge.spans[k]);
    press(line, chosen);
    line.classList.toggle("selected", Boolean(chosen));
    stage.querySelectorAll(`.names [data-span="${k}"]`).forEach((name) => press(name, chosen));
    line.classList.toggle("predicted", Boolean(same(page.predicted, picture.merge.spans[k])));
  });
}
