// Step 3, step: real gradient steps on a private copy, with undo; before and after side by side.

import { menu, radios } from "../shared/controls.js";
import { curve } from "../shared/curve.js";
import { el, svg, table } from "../shared/dom.js";
import { fixed, short } from "../shared/numbers.js";
import { clipped } from "../shared/prose.js";
import { extent, scaleLinear } from "../shared/scales.js";

export function draw(root, picture, page, held) {
  const { bench } = picture;
  held.choice ??= { scope: "head", optimizer: "sgd", rates: {} };
  if (bench.learned) held.choice.scope = bench.learned.scope;
  root.replaceChildren(
    controls(picture, page, held),
    bench.learned ? results(root, picture, page) : el(
      "p.role-quiet",
      "Nothing was trained yet. A step changes a copy of the reader that only you see; " +
        "everybody else keeps reading with the one it was made from.",
    ),
  );
}

function controls({ bench, changed }, page, held) {
  const { choice } = held;
  const learned = bench.learned;
  const set = (name, title, list) => {
    const items = list.map(({ key, says }) => [key, says]);
    const pick = (value) => {
      choice[name] = value;
      rates();
    };
    return el(
      "fieldset.lever",
      el("legend", title),
      radios(`loss-${name}`, items, choice[name], pick),
    );
  };
  const key = () => `${choice.optimizer} ${choice.scope}`;
  const chosen = () => choice.rates[key()] ?? bench.usual[choice.optimizer][choice.scope];
  const rate = menu("loss-rate", "learning_rate", (value) => {
    choice.rates[key()] = Number(value);
  }, "label.lever");
  const rates = () => rate.update(bench.rates[choice.optimizer].map((r) => [r, r]), chosen());
  rates();
  const send = (steps) =>
    page.input("step", { scope: choice.scope, steps, rate: chosen(), optimizer: choice.optimizer });
  const act = (text, name, on = true) =>
    el("button.act", { disabled: !on, onclick: () => page.input(name, true) }, text);
  return el(
    "div.bench",
    el(
      "div.levers",
      set("scope", "what moves", bench.scopes),
      set("optimizer", "optimizer", bench.optimizers),
      rate.root,
    ),
    el(
      "div.acts",
      bench.steps.map((n) =>
        el(
          "button.act.filled",
          { id: `loss-take-${n}`, onclick: () => send(n) },
          n === 1 ? "1 step" : `${n} steps`,
        )
      ),
      act("undo", "undo", Boolean(learned?.canUndo)),
      act("redo", "redo", Boolean(learned?.canRedo)),
      act("reset", "reset", Boolean(learned)),
    ),
    changed
      ? el(
        "p.role-quiet",
        "Steps start from the reader's own logits, not from those moved by hand.",
      )
      : null,
  );
}

function results(root, { bench }, page) {
  const { learned } = bench;
  const width = root.clientWidth || 600;
  const third = page.narrow ? width : Math.floor((width - 48) / 3);
  return el(
    "div.veil-part.results",
    el("p.says", learned.says),
    el(
      "div.trio",
      part(
        "loss after each step, nats",
        curve(learned.curve, third, page, { floor: learned.floor }),
      ),
      part(
        "probability before (hollow) and after (solid)",
        el("div", dumbbells(learned, "start", third, page), dumbbells(learned, "end", third, page)),
      ),
      part(
        "tokens at (start logit, end logit): where they went",
        plane(learned.plane, third, page),
      ),
    ),
    el(
      "p.moved.tabular",
      learned.moved.map((m) =>
        el(
          "span",
          el("strong", m.name),
          ` |${m.name}| ${m.norm}, moved by ${m.distance}, turned by ${m.degrees}`,
        )
      ),
      el("span.role-quiet", "T: means over the tokens of the window"),
    ),
    table(learned.spans, page),
  );
}

const part = (title, content) => el("figure", el("figcaption.role-quiet", title), content);

function dumbbells(learned, side, width, page) {
  const em = 16 * page.scale;
  const names = Math.min(em * 7, width * 0.36);
  const row = em * 1.35;
  const list = learned[side];
  const x = (p) => names + p * (width - names - em);
  return svg(
    `svg.dumbbells.${side}[role=img]`,
    {
      width,
      height: row * (list.length + 1),
      "aria-label": `${side}: ${list.map((c) => `${c.text} ${c.says}`).join("; ")}`,
    },
    svg(`text.${side}`, [0, em], side),
    list.flatMap((c, k) => {
      const y = row * (k + 1.5);
      return [
        svg("line.rule", [names, y, width - em, y]),
        svg(`line.link.${side}`, [x(c.before), y, x(c.after), y]),
        svg(`circle.hollow.${side}`, [x(c.before), y, 4.5 * page.scale]),
        svg(`circle.${side}`, [x(c.after), y, 4.5 * page.scale], svg("title", c.says)),
        svg("text", [0, y + em * 0.3], clipped(c.text, Math.floor(names / (em * 0.52)))),
      ];
    }),
  );
}

function plane(points, width, page) {
  const em = 16 * page.scale;
  const size = Math.min(width, em * 19);
  const pad = em * 1.8;
  const [[xa, xb], [ya, yb]] = [0, 1].map((k) => {
    const [a, b] = extent(points.flatMap((p) => [p.from[k], p.to[k]]));
    const more = Math.max(0.5, (b - a) * 0.08);
    return [a - more, b + more];
  });
  const x = scaleLinear([xa, xb], [pad, size - pad]);
  const y = scaleLinear([ya, yb], [size - pad, pad]);
  const taken = [];
  const name = (p) => {
    const [at, base] = [x(p.to[0]), y(p.to[1]) - 7 * page.scale];
    if (taken.some(([a, b]) => Math.abs(a - at) < em * 4 && Math.abs(b - base) < em)) return null;
    taken.push([at, base]);
    const end = at > size * 0.6;
    return svg("text.name", [at, base, end ? "end" : "start"], clipped(p.text, 14));
  };
  return svg(
    "svg.plane[role=img]",
    {
      width: size,
      height: size,
      "aria-label": points.map(({ text, from, to }) => {
        const [start, end] = [0, 1].map((k) => `${fixed(from[k])} to ${fixed(to[k])}`);
        return `${text}: start ${start}, end ${end}`;
      }).join("; "),
    },
    svg("path.rule", `M${pad},${pad}V${size - pad}H${size - pad}`),
    svg(
      "text.start",
      [size - pad, size - em * 0.4, "end"],
      `start logit ${short(xa)} to ${short(xb)}`,
    ),
    svg("text.end", [0, em], `end logit ${short(ya)} to ${short(yb)}`),
    points.flatMap((p) => {
      const [from, to] = [p.from, p.to].map(([s, e]) => [x(s), y(e)]);
      return [
        svg("line.went", [...from, ...to]),
        svg("circle.was", [...from, 3 * page.scale]),
        svg("circle.ink", [...to, 3.5 * page.scale]),
      ];
    }),
    points.map(name),
  );
}
