// Step 3 of chapter 8: what is thrown away and what stays, what is said and what is, and whether it
// helps.

import { drawing, el, fold, glued, svg, table } from "../shared/dom.js";
import { grouped } from "../shared/numbers.js";
import { max, min, scaleLinear, ticks } from "../shared/scales.js";

const block = (name, says, kind, tag) =>
  el(
    "div",
    { class: `block ${kind}` },
    el("strong", name),
    el("span", says),
    tag ? el("em", tag) : null,
  );

// Two stacks: the encoder stands at the same height in both, since it is the same encoder.
function road(parts) {
  const [encoder, ...heads] = parts;
  const stack = (title, loss, top, below) =>
    el("section.stack", el("h3", title), el("div.heads", top), below, el("p.stack-loss", loss));
  return el(
    "div.road",
    stack(
      "pre-training",
      ["L = L", el("sub", "MLM"), " + L", el("sub", "SBO")],
      heads.filter((h) => h.was).map((h) => block(h.name, h.was, "gone", h.then)),
      block(encoder.name, encoder.was, "stays"),
    ),
    el(
      "div.road-arrow",
      el("span", `the ${encoder.name} ${encoder.then}`),
      el("span.arrow", { "aria-hidden": "true" }, "→"),
    ),
    stack(
      "fine-tuning for reading",
      ["L = (L", el("sub", "start"), " + L", el("sub", "end"), ") / 2"],
      heads.filter((h) => h.now).map((h) => block(h.name, h.now, "new", h.then)),
      block(encoder.name, encoder.now, "stays"),
    ),
  );
}

/**
 * Baselines of labels that stand one below the other, moved apart until each has a line of its own.
 */
export function apart(ys, line) {
  const order = ys.map((y, k) => [y, k]).sort((a, b) => a[0] - b[0]);
  const out = [...ys];
  order.forEach(([y, k], i) => {
    out[k] = i ? Math.max(y, out[order[i - 1][1]] + line) : y;
  });
  return out;
}

// Each start is a row of dots, one a seed, with a tick at their mean.
function starts(rows, page, width) {
  const size = page.scale;
  const all = rows.flatMap((r) => r.f1);
  const [low, high] = [Math.floor(min(all) - 0.5), Math.ceil(max(all) + 0.5)];
  const [left, right, line] = [
    page.narrow ? 10 * size : 170 * size,
    40 * size,
    page.narrow ? 46 * size : 30 * size,
  ];
  const wide = Math.min(width, 640 * size);
  const tall = rows.length * line + 34 * size;
  const x = scaleLinear([low, high], [left, wide - right]);
  const marks = ticks(x, { room: (wide - left - right) / 7, em: 16 * size, least: 1 });
  return drawing(
    wide,
    tall,
    {
      role: "img",
      "aria-label": "F1 of every seed from each start; the numbers stand in the table",
    },
    marks.map(({ at, text }, k) => [
      svg("path.rule", { d: `M${at},${4 * size}V${tall - 26 * size}` }),
      svg(
        "text.quiet",
        { x: at, y: tall - 12 * size, "text-anchor": "middle" },
        k === marks.length - 1 ? `${text} F1` : text,
      ),
    ]),
    rows.map((r, k) => {
      const y = k * line + (page.narrow ? 32 : 18) * size;
      return [
        svg("text", {
          x: page.narrow ? 0 : left - 12 * size,
          y: page.narrow ? y - 14 * size : y + 4 * size,
          "text-anchor": page.narrow ? "start" : "end",
        }, r.name),
        svg("path.rule-ink", {
          d: `M${x(min(r.f1))},${y}H${x(max(r.f1))}M${x(r.mean)},${y - 8 * size}v${16 * size}`,
        }),
        r.f1.map((v) => svg("circle.hollow.seed-dot", { cx: x(v), cy: y, r: 4.5 * size })),
      ];
    }),
  );
}

// Top-1 of MLM (dots) and SBO (rings) over a few groups.
function panel({ title, rows }, page, width) {
  const size = page.scale;
  const names = page.narrow ? title.split(/(?<=,) /) : [title];
  const [left, right, top, bottom] = [
    34 * size,
    40 * size,
    12 * size,
    (23 + 15 * names.length) * size,
  ];
  const [wide, tall] = [Math.max(240, width), (185 + 15 * names.length) * size];
  const most = Math.max(10, ...rows.flatMap((r) => [r.mlm ?? 0, r.sbo ?? 0])) * 1.08;
  const x = (k) => left + ((wide - left - right) * (k + 0.5)) / rows.length;
  const y = (v) => tall - bottom - ((tall - top - bottom) * v) / most;
  const step = most > 40 ? 20 : most > 20 ? 10 : 5;
  const line = (head) =>
    rows.map((r, k) => (head in r ? `${x(k)},${y(r[head])}` : null)).filter(Boolean);
  const last = (head) => rows.findLastIndex((r) => head in r);
  const named = ["mlm", "sbo"].filter((head) => last(head) >= 0);
  const lines = apart(named.map((head) => y(rows[last(head)][head]) + 4 * size), 14 * size);
  return drawing(
    wide,
    tall,
    {
      role: "img",
      "aria-label": `Top-1 of MLM and SBO by ${title}; the numbers stand in the table`,
    },
    Array.from({ length: Math.floor(most / step) + 1 }, (_, k) => k * step).map((
      v,
    ) => [
      svg("path.rule", { d: `M${left},${y(v)}H${wide - right}` }),
      svg("text.quiet", { x: left - 6 * size, y: y(v) + 4 * size, "text-anchor": "end" }, v),
    ]),
    ["mlm", "sbo"].map((
      head,
    ) => (line(head).length > 1
      ? svg("path", { class: `rule-ink ${head}-line`, d: `M${line(head).join("L")}` })
      : null)
    ),
    rows.map((r, k) =>
      ["mlm", "sbo"].map((
        head,
      ) => (head in r
        ? svg("circle", {
          class: head === "mlm" ? "ink" : "hollow seed-dot",
          cx: x(k),
          cy: y(r[head]),
          r: 4 * size,
        })
        : null)
      )
    ),
    named.map((head, k) =>
      svg("text", { x: x(last(head)) + 10 * size, y: lines[k] }, head.toUpperCase())
    ),
    rows.map((r, k) =>
      svg(
        "text.quiet",
        { x: x(k), y: tall - bottom + 16 * size, "text-anchor": "middle" },
        r.name.replace("over ", ">"),
      )
    ),
    names.map((name, k) =>
      svg("text.quiet", {
        x: (left + wide - right) / 2,
        y: tall - 3 - (names.length - 1 - k) * 15 * size,
        "text-anchor": "middle",
      }, name)
    ),
  );
}

// Held-out top-1 of MLM (dots) and SBO (rings) by step; each phase is a line of its own, squares
// are all blanks at its end, aims dotted.
function learning({ rows, ends, begins, aims }, page, width) {
  const size = page.scale;
  const [left, right, top, bottom] = [
    34 * size,
    74 * size,
    (begins.length ? 37 : 24) * size,
    38 * size,
  ];
  const [wide, tall] = [Math.min(width, 720 * size), 260 * size];
  const end = rows.at(-1).step;
  const most = max([
    ...[...rows, ...ends].flatMap((r) => [r.mlm ?? 0, r.sbo ?? 0]),
    ...aims.map((a) => a.top1),
  ]) * 1.08;
  const x = scaleLinear([0, end], [left, wide - right]);
  const y = scaleLinear([0, most], [tall - bottom, top]);
  const heads = ["mlm", "sbo"].map((head) => [head, rows.filter((r) => head in r)]).filter((
    [, list],
  ) => list.length);
  const names = [
    ...heads.map(([head, list]) => [head.toUpperCase(), y(list.at(-1)[head]), ""]),
    ...aims.map((a) => [`aim ${a.name}`, y(a.top1), "quiet"]),
  ];
  const lines = apart(names.map((n) => n[1] + 4 * size), 14 * size);
  const side = (page.narrow ? 6 : 8) * size;
  const phases = (list) =>
    [...new Set(list.map((r) => r.phase))].map((n) => list.filter((r) => r.phase === n));
  return drawing(
    wide,
    tall,
    {
      role: "img",
      "aria-label":
        "Held-out top-1 of MLM and SBO by step of the pre-training; the numbers stand in the table",
    },
    ticks(y, { room: 40 * size }).map(({ at, text }) => [
      svg("path.rule", { d: `M${left},${at}H${wide - right}` }),
      svg("text.quiet", { x: left - 6 * size, y: at + 4 * size, "text-anchor": "end" }, text),
    ]),
    ticks(x, { room: (wide - left - right) / (page.narrow ? 4 : 6), em: 16 * size }).map((t) =>
      svg(
        "text.quiet",
        { x: t.at, y: tall - bottom + 16 * size, "text-anchor": "middle" },
        grouped(t.value),
      )
    ),
    begins.map((
      { phase, step },
      k,
    ) => [
      svg("path.rule-ink.phase-rule", { d: `M${x(step)},${top - 6 * size}V${tall - bottom}` }),
      svg("text.quiet", {
        x: x(step) + 4 * size,
        y: top - (k && (page.narrow || k % 2) ? 10 : 23) * size,
      }, page.narrow && k ? String(phase) : `phase ${phase}`),
    ]),
    aims.map((
      a,
    ) => [svg("path.rule-ink.aim-line", { d: `M${left},${y(a.top1)}H${wide - right}` })]),
    heads.map(([head, list]) => [
      phases(list).map((some) =>
        svg("path", {
          class: `rule-ink ${head}-line`,
          d: `M${some.map((r) => `${x(r.step)},${y(r[head])}`).join("L")}`,
        })
      ),
      list.map((r) =>
        svg("circle", {
          class: head === "mlm" ? "ink" : "hollow seed-dot",
          cx: x(r.step),
          cy: y(r[head]),
          r: (page.narrow ? 2.5 : 3.5) * size,
        })
      ),
    ]),
    ends.map((r) =>
      heads.map((
        [head],
      ) => (head in r
        ? svg("rect", {
          class: head === "mlm" ? "ink" : "hollow seed-dot",
          x: x(r.step) - side / 2,
          y: y(r[head]) - side / 2,
          width: side,
          height: side,
        })
        : null)
      )
    ),
    names.map(([name, , kind], k) =>
      svg("text", { class: kind, x: wide - right + 8 * size, y: lines[k] }, name)
    ),
    svg(
      "text.quiet",
      { x: (left + wide - right) / 2, y: tall - 3, "text-anchor": "middle" },
      "step",
    ),
    svg("text.quiet", { x: 0, y: 10 * size }, begins.length ? "%" : "top-1, %"),
  );
}

/** Which parts are open: kept through redraws. */
const opened = new Set();

/** A part of this step behind its title. */
function part(kind, title, ...content) {
  const node = fold(title, el("section", { class: kind }, content), { open: opened.has(title) });
  node.addEventListener("toggle", () => opened[node.open ? "add" : "delete"](title));
  return node;
}

export function drawClosing(root, { parts, saysIs, ablation, scores, curve }, page) {
  const width = root.clientWidth;
  const half = page.narrow ? width : Math.min(560 * page.scale, (width - 32) / 2);
  root.replaceChildren(
    el(
      "div.closing",
      road(parts),
      el(
        "div.folds",
        part("says-is", "said, and so", table(saysIs, page)),
        part(
          "helps",
          "does it help a reader?",
          ablation.rows.length
            ? [
              el("p.spanbert-says", glued(ablation.budget)),
              starts(ablation.rows, page, width),
              el("p.spanbert-says", glued(ablation.says)),
            ]
            : null,
          ablation.missing ? el("p.spanbert-says", ablation.missing) : null,
          ablation.table ? table(ablation.table, page) : null,
          ablation.steps ? table(ablation.steps, page) : null,
          el("div.paper-tables", ablation.paper.map((t) => table(t, page))),
          el("p.role-quiet", `Source: ${ablation.source}.`),
        ),
        part(
          "scores learning",
          "how our pre-training went",
          el("p.spanbert-says", glued(curve.says)),
          curve.rows.length ? learning(curve, page, width) : null,
          curve.legend ? el("p.role-quiet", curve.legend) : null,
        ),
        scores
          ? part(
            "scores",
            "what it reached",
            el("p.spanbert-says", glued(scores.says)),
            el("div.panels", scores.panels.map((p) => panel(p, page, half))),
          )
          : null,
      ),
    ),
  );
}
