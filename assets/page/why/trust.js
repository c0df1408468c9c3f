// Chapter 9, step 3: how far to trust it. The drop of each explanation among random word sets, then
// what happens as more words are masked.

import { el, fold, put } from "../shared/dom.js";
import { floats, ints } from "../shared/pack.js";
import { drawCurves } from "./curves.js";
import { makeDots } from "./dots.js";
import { missing, wordText } from "./parts.js";
import { words } from "./words.js";

const RANDOM = { what: "random", span: true, target: true };

export function draw(root, model, held) {
  if (!held.made) make(root, held);
  held.model = model;
  const asked = model.wanted(RANDOM);
  const found = asked ? model.need(RANDOM) : null;
  const rows = found?.data ? methods(held) : [];
  held.begin.hidden = asked;
  held.wait.textContent = model.picture.wait.sets;
  put(held.missing, asked && missing(model, RANDOM, found));
  held.body.hidden = !found?.data;
  const verdict = rows.find((row) => row.chosen)?.data?.verdict;
  held.verdict.textContent = verdict ?? words.trust_says;
  held.verdict.classList.toggle("said", Boolean(verdict));
  if (!found?.data) return;
  drawSets(held, found.data, rows);
  drawMore(held, "curves", (data) => drawCurves(data, model), model.picture.wait.curves);
}

function make(root, held) {
  held.made = true;
  held.verdict = el("p.trust-verdict[role=status]");
  held.wait = el("p.role-quiet");
  held.begin = el(
    "div",
    held.wait,
    el("button.act#why-trust-run", { onclick: () => held.model.want(RANDOM) }, "measure"),
  );
  held.missing = el("div");
  held.title = el("p.role-quiet");
  held.rule = el("p.role-quiet");
  held.dots = makeDots();
  held.curves = el("div");
  held.more = el("div.trust-more");
  held.body = el("div[hidden]", held.title, held.dots.root, held.rule, held.more);
  root.replaceChildren(held.verdict, held.begin, held.missing, held.body);
}

// The chosen method first, the others after it, raw attention last; each is asked for when the one
// before it has answered. Nobody wants the next after a Cancel.
function methods(held) {
  const { model } = held;
  const { choice, picture } = model;
  const others = picture.menus.method.filter(([key]) => key !== choice.method);
  const order = [...picture.menus.method.filter(([key]) => key === choice.method), ...others, [
    "attention",
    picture.attention,
  ]];
  let waits = false;
  return order.map(([key, name]) => {
    const request = {
      what: "stood",
      span: true,
      target: true,
      more: { by: key, baseline: key === "integrated_gradients" ? choice.baseline : "" },
    };
    const found = waits ? undefined : model.need(request);
    waits ||= !found || Boolean(found.cancelled);
    return {
      name,
      chosen: key === choice.method,
      data: found?.data,
      missing: found === undefined ? [] : missing(model, request, found),
    };
  });
}

function drawSets(held, data, rows) {
  const { model } = held;
  if (held.random !== data) {
    Object.assign(held, {
      random: data,
      sets: { ...data, drops: Array.from(floats(data.drops)), words: ints(data.words) },
    });
  }
  const { sets } = held;
  held.title.textContent = data.title;
  held.rule.textContent = data.rule;
  const wordsOf = (k) =>
    Array.from(
      sets.words.slice(k * sets.size, (k + 1) * sets.size),
      (word) => `“\u2068${wordText(model, word)}\u2069”`,
    ).join(", ");
  const { page, width } = model;
  const seen = rows.map((row) => row.data ?? row.missing.length);
  const key = [data, width, page.scale, page.narrow, ...seen];
  if (held.drawn?.length === key.length && held.drawn.every((one, k) => one === key[k])) return;
  held.drawn = key;
  held.dots.draw({
    sets,
    rows,
    width,
    scale: page.scale,
    narrow: page.narrow,
    wordsOf,
  });
}

// A measurement that is begun by hand, in a fold of its own.
function drawMore(held, what, show, wait) {
  const { model } = held;
  const { choice } = model;
  const request = { what, span: true, target: true, method: choice.method };
  if (!held.more.querySelector(`#why-${what}`)) {
    held.more.append(fold(words[what], held[what], { id: `why-${what}` }));
  }
  if (!model.wanted(request)) {
    held[what].replaceChildren(
      el("p.role-quiet", `${words[`${what}_says`]} ${wait}`),
      el("button.act", { id: `why-${what}-run`, onclick: () => model.want(request) }, "measure"),
    );
    return;
  }
  const found = model.need(request);
  put(held[what], found?.data ? show(found.data) : missing(model, request, found));
}
