// "You are the reader": ten chips for the start, ten for the end; your -log p beside the model's.
//
//     q(word) = 0.99 * chips / 10 + 0.01 / (words + 1)      the +1 is the "no answer" place
//
// The model's p of a word is the sum over its pieces, [CLS] is "no answer", question and separators
// are left out and the rest is renormalised.

import { dragChips } from "./chips.js";
import { el, grid, press, roving, row } from "./dom.js";
import { fixed, percent } from "./numbers.js";
import { softmax } from "./pack.js";
import { rightToLeft, words } from "./prose.js";
import { hear, say, state } from "./store.js";

const CHIPS = 10;
const SIDES = ["start", "end"];
const NONE = -1;

/** The model's distribution over a window's words and "no answer": {none, words: Map(k -> p)}. */
export function modelShare(logits, window, list, temperature) {
  const p = softmax(logits, temperature);
  const share = new Map();
  let kept = p[window.clsAt];
  list.forEach((word, k) => {
    let sum = 0;
    for (let d = word.first; d <= word.last; d += 1) sum += window.holds(d) ? p[window.pos(d)] : 0;
    if (sum > 0) share.set(k, sum);
    kept += sum;
  });
  share.set(NONE, p[window.clsAt]);
  share.forEach((value, k) => share.set(k, value / kept));
  return share;
}

/** Where the right answer stands: the example's gold, else what the model says, named as such. */
export function truth(reading, list, answer, predicted) {
  const at = (offset) => list.findIndex((w) => w.end > offset);
  const [gold] = reading.gold;
  if (gold) return { name: "the gold answer", start: at(gold.start), end: at(gold.end - 1) };
  const none = (name) => ({ name, start: NONE, end: NONE });
  if (reading.goldKnown) return none("the gold answer, which is no answer");
  if (answer === null || !predicted) {
    return none("the model's answer, which is no answer (this text has no gold)");
  }
  const wordOf = (d) => list.findIndex((w) => w.first <= d && d <= w.last);
  return {
    name: "the model's own answer (this text has no gold)",
    start: wordOf(predicted.start),
    end: wordOf(predicted.end),
  };
}

export const yours = (chips, n) => (0.99 * chips) / CHIPS + 0.01 / (n + 1);

/** No chip is placed yet. */
const fresh = () => ({
  chips: { start: new Map(), end: new Map() },
  side: "start",
  shown: false,
  asked: false,
});

/** The panel of the page. @type {any} */
const panel = fresh();

/** What the chips on the page cost and what the reader's probabilities cost; null before all are placed. */
export const chipLoss = () => measured(panel);

export function updateGuess(root) {
  if (panel.root) return;
  panel.root = root;
  hear("compare", () => {
    panel.shown = true;
    paint(panel);
  });
  hear("look", (name) => name !== "covering" && render(panel));
  hear("reading", () => {
    reset(panel);
    render(panel);
  });
}

function reset(view) {
  const { reading } = state;
  if (!reading || (view.text === reading.context && view.question === reading.question)) return;
  Object.assign(view, fresh(), { text: reading.context, question: reading.question });
}

/** The chips that stand on the page, as they can be kept: by side, [place, how many]. */
export const chipsPut = () =>
  Object.fromEntries(SIDES.map((side) => [side, [...panel.chips[side]]]));

/**
 * Put kept chips on the page's text again; what does not fit it counts as none.
 * @param {any} kept what `chipsPut` said
 */
export function putChips(kept) {
  if (!state.reading) return;
  reset(panel);
  const count = words(state.reading).length;
  for (const side of SIDES) {
    const chips = new Map();
    for (const [k, n] of Array.isArray(kept?.[side]) ? kept[side] : []) {
      const fits = Number.isInteger(k) && Number.isInteger(n) && k >= NONE && k < count;
      if (fits) chips.set(k, possible(chips, k, n));
    }
    panel.chips[side] = chips;
  }
}

const placed = (chips) => [...chips.values()].reduce((a, b) => a + b, 0);

/**
 * How many chips a place holds when `wanted` are asked for: never more than are left.
 * @param {Map<number, number>} chips
 * @param {number} k
 * @param {number} wanted
 */
export const possible = (chips, k, wanted) =>
  Math.max(0, Math.min(wanted, (chips.get(k) ?? 0) + CHIPS - placed(chips)));

/** Put so many chips of one side on a place; a full start goes on with the end. */
function set(view, side, k, wanted) {
  const chips = view.chips[side];
  const now = possible(chips, k, wanted);
  if (now === (chips.get(k) ?? 0)) return;
  const more = now > (chips.get(k) ?? 0);
  chips.set(k, now);
  view.shown = false;
  if (more && placed(chips) === CHIPS && side === "start" && placed(view.chips.end) < CHIPS) {
    view.side = "end";
  }
  paint(view);
}

const add = (view, k, change) =>
  set(view, view.side, k, (view.chips[view.side].get(k) ?? 0) + change);

/** How many chips of the side in hand a key on a place asks for, or null. */
export function chipsFor({ key, shiftKey, ctrlKey, altKey, metaKey }, now) {
  if (ctrlKey || altKey || metaKey) return null;
  if (/^\d$/.test(key)) return Number(key);
  if (key === "Enter" && shiftKey) return CHIPS;
  return ["Backspace", "Delete", "-"].includes(key) ? now - 1 : null;
}

/** The answer is covered while someone guesses, in every chapter, until the two are compared. */
function cover(view) {
  const on = document.body.classList.contains("guessing") && !view.shown;
  if (on === document.body.classList.contains("covering")) return;
  document.body.classList.toggle("covering", on);
  if (!on) document.body.classList.remove("veiled");
  say("look", "covering");
}

function render(view) {
  cover(view);
  if (!document.body.classList.contains("guessing") || !state.reading) {
    view.root.replaceChildren();
    return;
  }
  reset(view); // a lesson may ask for chips before this has heard of its reading
  const list = words(state.reading);
  const nodes = new Map();
  const place = (k, text) => {
    const node = el("button", {
      class: k === NONE ? "place none" : "place",
      dataset: { k, text },
      onclick: (event) => view.dragged || add(view, k, event.shiftKey ? -1 : 1),
      onkeydown: (event) => {
        const wanted = chipsFor(event, view.chips[view.side].get(k) ?? 0);
        if (wanted === null) return;
        event.preventDefault();
        set(view, view.side, k, wanted);
      },
    }, el("bdi", text));
    nodes.set(k, node);
    return node;
  };
  const act = (change) => () => {
    change();
    paint(view);
  };
  const side = (name) => [
    el(`button.side.role-${name}`, {
      dataset: { side: name },
      onclick: act(() => view.side = name),
    }),
    el(`span.pool.chips.${name}[aria-hidden=true]`, {
      dataset: { side: name },
      title: `drag the chips of the ${name} to a word`,
    }),
  ];
  const compare = () => {
    view.asked = true;
    view.shown = SIDES.every((name) => placed(view.chips[name]) === CHIPS);
  };
  const clear = () => {
    view.text = null;
    reset(view);
  };
  const field = el(
    "div.places[role=group]",
    {
      dir: rightToLeft(view.text) ? "rtl" : "ltr",
      "aria-label": "Places for chips: arrow keys move, 1 to 9 and 0 set how many stand there, " +
        "Shift and Enter puts all that are left, Backspace takes one back",
    },
    placeRows([
      place(NONE, "no answer"),
      ...list.map((word, k) => place(k, view.text.slice(word.start, word.end))),
    ], rightToLeft(view.text)),
  );
  Object.assign(view, { list, field, nodes, chipped: new Set() });
  view.result = el("div.guess-result[aria-live=polite]");
  view.sides = el(
    "div.sides",
    SIDES.map(side),
    el("button.plain", { onclick: act(compare) }, "compare with the model"),
    el("button.plain", { onclick: act(clear) }, "take all back"),
  );
  view.root.replaceChildren(
    el(
      "section.guess",
      { "aria-label": "You are the reader" },
      el(
        "p.role-quiet",
        "Ten chips of 10 % for where the answer starts, ten for where it ends: drag them to a " +
          "word (a click puts one, a key from 1 to 9 so many, Shift and Enter all). The answer " +
          "is covered until you compare.",
      ),
      view.sides,
      field,
      view.result,
    ),
  );
  roving(field, ".place");
  dragChips(view.root.firstChild, {
    held: (name, from) =>
      from === null ? CHIPS - placed(view.chips[name]) : view.chips[name].get(from) ?? 0,
    drop: (name, from, to, count) => {
      view.dragged = true; // the click that follows is no press of a place
      setTimeout(() => {
        view.dragged = false;
      });
      if (from !== null) set(view, name, from, 0);
      set(view, name, to, (view.chips[name].get(to) ?? 0) + count);
    },
  });
  paint(view);
}

/**
 * Places in rows of some hundred: a browser lays out only the rows in sight, and a long paragraph
 * has thousands of words.
 */
function placeRows(places, base) {
  const many = 200;
  return Array.from(
    { length: Math.ceil(places.length / many) },
    (_, r) =>
      el("div.place-row[role=presentation]", runs(places.slice(r * many, (r + 1) * many), base)),
  );
}

/**
 * Words that are read against the text's direction stand together, in their own: a box for each
 * word hides from the browser that they are one phrase.
 * @param {HTMLElement[]} places
 * @param {boolean} base whether the text is written from right to left
 */
function runs(places, base) {
  /** @type {{against: boolean, nodes: HTMLElement[]}[]} */
  const found = [];
  for (const node of places) {
    const against = rightToLeft(node.textContent ?? "") !== base;
    const last = found.at(-1);
    if (against && last?.against) last.nodes.push(node);
    else found.push({ against, nodes: [node] });
  }
  return found.flatMap(({ nodes }) =>
    nodes.length > 1
      ? [el("div.place-run[role=presentation]", { dir: base ? "ltr" : "rtl" }, nodes)]
      : nodes
  );
}

function paint(view) {
  if (!view.field?.isConnected) return;
  const chipped = new Set([...view.chips.start.keys(), ...view.chips.end.keys()]);
  new Set([...chipped, ...view.chipped]).forEach((k) => {
    const node = view.nodes.get(k);
    const [s, e] = ["start", "end"].map((side) => view.chips[side].get(k) ?? 0);
    const chips = (side, n) =>
      el(`span.chips.${side}[aria-hidden=true]`, { dataset: { side } }, "●".repeat(n));
    node.replaceChildren(chips("start", s), el("bdi", node.dataset.text), chips("end", e));
    node.setAttribute(
      "aria-label",
      `${node.dataset.text}${s ? `, ${s} for the start` : ""}${e ? `, ${e} for the end` : ""}`,
    );
  });
  view.chipped = chipped;
  view.sides.querySelectorAll(".side").forEach((button) => {
    const name = button.dataset.side;
    press(button, view.side === name);
    button.textContent = `${name}: ${placed(view.chips[name])} of ${CHIPS} placed`;
  });
  view.sides.querySelectorAll(".pool").forEach((pool) => {
    pool.textContent = "●".repeat(CHIPS - placed(view.chips[pool.dataset.side]));
  });
  view.result.replaceChildren(...(view.shown ? result(view) : missing(view)));
  cover(view);
}

/** What is still to be placed, once the comparison was asked for. */
function missing(view) {
  const sides = lacks(view);
  if (!view.asked || !sides.length) return [];
  return [el("p", `Place all ten chips for the ${sides.join(" and the ")} first.`)];
}

const lacks = (view) => SIDES.filter((side) => placed(view.chips[side]) < CHIPS);

function measured(view) {
  const { reading, answer, predicted } = state;
  if (!reading || !view.list || lacks(view).length) return null;
  const right = truth(reading, view.list, answer, predicted);
  const home = right.start === NONE
    ? predicted?.window ?? 0
    : reading.owner[view.list[right.start].first];
  const window = reading.windows[home];
  const rows = SIDES.map((side) => {
    const share = modelShare(window[side], window, view.list, reading.temperature);
    const q = yours(view.chips[side].get(right[side]) ?? 0, view.list.length);
    const p = share.get(right[side]) ?? 0;
    const word = right[side] === NONE
      ? "no answer"
      : reading.context.slice(view.list[right[side]].start, view.list[right[side]].end);
    return { side, word, q, p };
  });
  return { name: right.name, rows, home, window };
}

function result(view) {
  const { reading } = state;
  const found = measured(view);
  if (!reading || !found) return [];
  const { name, rows, home, window } = found;
  const loss = (p) => {
    const x = -Math.log(p);
    return !Number.isFinite(x) ? "infinite" : x > 0 && x < 0.005 ? "< 0.01" : fixed(x);
  };
  const share = (x) => (x === 0 ? "0 %" : percent(x));
  return [
    el("p", `Measured on ${name}.`),
    grid("table", {
      label: "Your loss and the model's",
      caption: "−log p in nats, lower is better",
      head: ["", "word", "you gave", "your −log p", "the model gave", "its −log p"],
      rows: rows.map(({ side, word, q, p }) =>
        row(el(`th.role-${side}[scope=row]`, side), [
          el("td[dir=auto]", word),
          share(q),
          loss(q),
          share(p),
          loss(p),
        ])
      ),
    }),
    el(
      "p.role-quiet",
      `Your chips: 99 % as placed, 1 % spread over ${view.list.length} words and “no ` +
        `answer”, so that an empty word costs a finite loss. ` +
        `The model: pieces of a word added, ${
          window.tokens[window.clsAt]
        } counted as “no answer”, question and separators left out and the rest scaled to 1${
          reading.windows.length > 1 ? `; window ${home + 1} of ${reading.windows.length}` : ""
        }.`,
    ),
  ];
}
