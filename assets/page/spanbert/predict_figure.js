// The classic figure: MLM's wire from the blank itself, SBO's three wires from the neighbours and
// the ruler, h0, h1, y, words.

import { rounded } from "../shared/numbers.js";
import { el, press, subs, svg } from "../shared/dom.js";
import { floats } from "../shared/pack.js";
import { rightToLeft } from "../shared/prose.js";

const WIRES = ["left", "right", "position"];
const TALL = 1.6; // em, the highest stem
const READS = {
  mlm: "masked language model: reads the blank itself",
  sbo: "span boundary objective: reads the two neighbours and a position",
  both: "their product, renormalised",
};
const CONTEXTUAL = "The two boundary vectors are the encoder's last layer: each has already read " +
  "the whole text, the other neighbour and every [MASK] included. A cut wire takes away only what " +
  "reached SBO through that vector.";
const TWICE = "Both is the product of the two distributions, renormalised, as if they were " +
  "independent witnesses. They are not: each already knows how frequent every word is, so the " +
  "product counts word frequency twice. No model is trained with it.";
const NAMES = { mlm: "MLM", sbo: "SBO", both: "both" };

function guess(g, top, down) {
  const stem = el("span.stem", { style: { height: `${(TALL * g.p) / top}em` } });
  const parts = [
    el("span.stem-box[aria-hidden=true]", stem),
    el("bdi.piece", g.piece),
    el("span.p.tabular", g.printed),
  ];
  const unseen = g.true && el("span.unseen", " the true piece");
  return el(g.true ? "li.true" : "li", down ? parts.reverse() : parts, unseen);
}

function row(name, picture, top, most) {
  const head = picture.heads[name];
  const title = el("h3", NAMES[name], el("span.role-quiet", ` ${READS[name]}`));
  if (!head) {
    const who = el("div.who", title, el("p.none", `No guess: ${picture.no_sbo}.`));
    return el(`section.guesses.${name}.missing`, { "aria-label": NAMES[name] }, who);
  }
  const [rank, loss] = [head.rank, head.loss].map((text) => el("strong", text));
  const says = el("p.tabular", "true piece: rank ", rank, el("br"), `p ${head.p}, −log p `, loss);
  const guesses = head.guesses.slice(0, most);
  const last = guesses.length - 1;
  const shares = `these ${last + 1} pieces ${head.held[last]}, all others ${head.rest[last]}`;
  const listed = guesses.some((g) => g.true);
  const list = el(
    "ol.words",
    guesses.map((g) => guess(g, top, name === "sbo")),
    listed ? null : el(
      "li.true.far",
      el("bdi.piece", picture.blank.token),
      el("span.p.tabular", `rank ${head.rank}`),
      el("span.unseen", " the true piece"),
    ),
  );
  return el(
    `section.guesses.${name}`,
    { "aria-label": `${NAMES[name]}'s guesses` },
    el("div.who", title, says),
    el(
      "div.all",
      list,
      el("p.bracket", el("span.role-quiet.tabular", shares), el("span.sum", "sum = 1")),
    ),
  );
}

// The blanks of a long run that fit, with the first, the last and the chosen one among them; null
// stands for those left out.
export function fitting(count, chosen, room) {
  if (count <= room) return Array.from({ length: count }, (_, k) => k);
  const inner = Math.max(1, room - 4);
  const from = Math.min(Math.max(1, chosen - Math.floor(inner / 2)), count - 1 - inner);
  const middle = Array.from({ length: inner }, (_, k) => from + k);
  return [
    0,
    ...(from > 1 ? [null] : []),
    ...middle,
    ...(from + inner < count - 1 ? [null] : []),
    count - 1,
  ];
}

/** As many pieces beside the run as have room, the nearest first. */
function context(items, side, room) {
  const ahead = side === "right";
  let [text, free, cut] = ["", room, ""];
  for (const t of ahead ? items : items.toReversed()) {
    const own = t.k ? "▢" : t.now ?? t.text;
    free -= own.length + 1;
    if (free < 0) {
      cut = "…";
      break;
    }
    text = ahead ? text + t.gap + own : t.gap + own + text;
  }
  const parts = ahead ? [text, cut] : [cut, text.trimStart()];
  return el(`span.context.${side}[aria-hidden=true]`, parts.filter(Boolean).join(" "));
}

function focus(picture, page, width) {
  const { line, blank, sides, at } = picture;
  const room = Math.max(
    5,
    Math.floor((page.narrow ? (width - 110) / 30 : (width * 0.5) / 38) / page.scale),
  );
  const pieces = line.filter((t) => t.doc >= 0);
  const text = pieces.map((t) => t.text).join(" ");
  const run = pieces.slice(blank.start, blank.end + 1);
  const slot = ({ doc, given }, k) =>
    el(`span.slot${doc === at ? ".chosen" : ""}`, {
      dataset: { k: k + 1 },
      onclick: () => page.input("predict-blank", doc),
    }, given || "\u00a0");
  const shown = fitting(run.length, at - blank.start, room)
    .map((k) => (k === null ? el("span.skip", "…") : slot(run[k], k)));
  const edge = (side) => {
    const { was, now } = sides?.[side] ?? {};
    return sides && el(`span.edge.${side}${now === null ? "" : ".changed-word"}`, now ?? was);
  };
  const letters = Math.floor(width / (11 * page.scale));
  const beside = sides ? 1 : 0;
  const before = pieces.slice(0, blank.start - beside);
  const after = pieces.slice(blank.end + 1 + beside);
  return el(
    "div.focus[aria-hidden=true]",
    { dir: rightToLeft(text) ? "rtl" : "ltr" },
    !page.narrow && context(before, "left", letters * 0.2),
    el("span.middle", edge("left"), shown, edge("right")),
    !page.narrow && context(after, "right", letters * 0.3),
  );
}

// A vector as columns up and down from its middle; three times its root mean square fills the
// height.
function strip({ values, size }) {
  const x = floats(values);
  const unit = 3 * Math.sqrt(x.reduce((a, v) => a + v * v, 0) / size) || 1;
  const d = Array.from(
    x,
    (v, k) => `M${k + 0.5},20v${rounded(-20 * Math.max(-1, Math.min(1, v / unit)))}`,
  ).join("");
  const about = { viewBox: `0 0 ${size} 40`, preserveAspectRatio: "none" };
  return svg("svg.strip[aria-hidden=true]", about, svg("path", d));
}

const measure = ({ size, norm }) =>
  el("p.size.tabular.role-quiet", size, el("span.norm", `, norm ${norm}`));

function segment(wire, picture, page) {
  const { strips, cut, sides, blank } = picture;
  const off = cut.includes(wire);
  const word = wire === "position" ? `row ${blank.k}` : sides[wire].now ?? sides[wire].was;
  const name = { left: "x_{s−1}", right: "x_{e+1}", position: "p_{i−s+1}" }[wire];
  return el(
    `div.segment.${wire}${off ? ".off" : ""}`,
    { style: { flex: `${strips[wire].size} 1 0` } },
    el("button.cut", {
      "aria-pressed": off,
      "aria-label": `cut the ${wire} wire`,
      onclick: ({ currentTarget }) => {
        press(currentTarget, !off);
        page.input("predict-cut", { wire, cut: !off }, `predict-cut-${wire}`);
      },
    }, off ? "join" : "cut"),
    strip(strips[wire]),
    el(
      "p.name",
      el("span.symbol", subs(name)),
      " ",
      el("bdi.read", off ? "its mean" : word),
    ),
    measure(strips[wire]),
  );
}

function layer(name, vector) {
  return el(
    `div.layer.${name.replace("_", "")}`,
    { style: { flex: `${vector.size} 1 0` } },
    strip(vector),
    el("p.name.symbol", subs(name)),
    measure(vector),
  );
}

const step = (n) =>
  el("p.op", [subs(`W_${n} · + b_${n}`), "GeLU", "LayerNorm"].map((op) => el("span", op)));

/** Folded, the head is its three wires; open, every vector on the way is drawn. */
function machine(picture, page, open) {
  return el(
    open ? "div.machine" : "div.machine.folded",
    el(
      "div.h0",
      el("div.segments", WIRES.map((wire) => segment(wire, picture, page))),
      el(
        "p.name.symbol.whole",
        subs("h_0"),
        el(
          "span.role-quiet.tabular",
          `, ${WIRES.reduce((n, wire) => n + picture.strips[wire].size, 0)} numbers`,
        ),
      ),
    ),
    step(1),
    layer("h_1", picture.strips.h1),
    step(2),
    layer("y", picture.strips.y),
    el("p.op.words-op", el("span", subs("E_word · + b")), el("span", "softmax")),
  );
}

const unfold = (open, onclick) =>
  el(
    "button.plain.unfold#spanbert-vectors",
    { "aria-pressed": open, onclick },
    "the head's vectors",
  );

function wires(box, layerNode, picture) {
  const base = box.getBoundingClientRect();
  const at = (selector, side) => {
    const r = (typeof selector === "string" ? box.querySelector(selector) : selector)
      .getBoundingClientRect();
    return {
      x: (r.left + r.right) / 2 - base.left,
      y: (side === "top" ? r.top : r.bottom) - base.top,
      left: r.left - base.left,
      right: r.right - base.left,
    };
  };
  const line = (d, kind, off = false) =>
    layerNode.append(svg(`path.wire.${kind}${off ? ".off" : ""}`, d));
  const chosen = box.querySelector(".slot.chosen");
  const { x, y } = at(chosen, "top");
  line(`M${x},${y}V${at(".guesses.mlm", "bottom").y + 2}m-4,6l4,-6l4,6`, "mlm");
  const rule = at(chosen, "bottom").y + 8;
  if (picture.sides) {
    line(`M${at(".edge.left", "top").right},${rule}H${at(".edge.right", "top").left}`, "ruler");
  }
  box.querySelectorAll(".slot").forEach((slot) => {
    const tick = at(slot, "bottom").x;
    if (picture.sides) line(`M${tick},${rule - 3}v6`, "ruler");
    const name = slot === chosen ? "text.now" : "text.quiet";
    layerNode.append(svg(name, [tick, rule + 17, "middle"], slot.dataset.k));
  });
  if (!picture.strips) return;
  const below = rule + 22;
  const ends = {
    left: at(".edge.left", "bottom"),
    right: at(".edge.right", "bottom"),
    position: { x, y: below - 2 },
  };
  WIRES.forEach((wire) => {
    const from = ends[wire];
    const to = at(`.segment.${wire} .cut`, "top");
    const bend = (to.y - below) * 0.7;
    line(
      `M${from.x},${from.y + 1}V${below}C${from.x},${below + bend} ${to.x},${to.y - bend} ${to.x},${
        to.y - 1
      }`,
      wire,
      picture.cut.includes(wire),
    );
  });
  const words = at(box.querySelector(".machine.folded .segments") ?? ".words-op", "bottom");
  const sbo = at(".guesses.sbo", "top").y;
  if (sbo - words.y > 8) line(`M${words.x},${words.y + 2}V${sbo - 2}m-4,-6l4,6l4,-6`, "words");
}

/** `toggle` opens or folds the head's vectors. */
export function drawFigure(box, picture, page, open, toggle) {
  const top = Math.max(
    0.05,
    ...Object.values(picture.heads).flatMap((head) => head?.guesses.map((g) => g.p) ?? []),
  );
  const layerNode = svg("svg.wires[aria-hidden=true]");
  const most = page.narrow ? 5 : 8;
  box.replaceChildren(
    layerNode,
    row("mlm", picture, top, most),
    focus(picture, page, box.clientWidth),
    picture.strips ? machine(picture, page, open) : "",
    row("sbo", picture, top, most),
    picture.strips ? unfold(open, toggle) : "",
    picture.heads.both ? row("both", picture, top, most) : "",
    el("p.sbp-note.role-quiet", `${CONTEXTUAL} ${TWICE}`),
  );
  wires(box, layerNode, picture);
}
