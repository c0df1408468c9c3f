// Step 2: three ways from tags to spans, a threshold on the exact marginal, and the glued span.

import { el, fold, grid, offers, pressRows, row, sign, svg } from "../shared/dom.js";
import { addend, fixed } from "../shared/numbers.js";
import { words } from "./words.js";

/**
 * The rows under the text: what each decoding makes of the tags, and the start/end head's one span.
 */
export function rows({ decodings }, page) {
  const spans = (name) => decodings.rows.find((r) => r.name === name).spans;
  const { predicted, answer } = page;
  const one = predicted && answer !== null ? [[predicted.start, predicted.end]] : [];
  return [
    { name: words.argmax, letters: decodings.argmax, marks: decodings.illegal },
    { name: words.strict, spans: spans("strict") },
    { name: words.lenient, spans: spans("lenient") },
    { name: words.viterbi, letters: decodings.viterbi },
    { name: "", spans: spans("viterbi") },
    { name: "start/end", kind: "one", spans: one },
  ];
}

// Every span with its marginal as a bar; the rule is the threshold, moved live and sent when it is
// let go.
function threshold({ threshold: data }, page) {
  const shown = el("output[for=bio-threshold]", fixed(data.value));
  const list = el("ol.marginals");
  const tell = (value) => {
    shown.textContent = fixed(value);
    list.style.setProperty("--at", `${100 * value}%`);
    list.querySelectorAll("li").forEach((li, k) =>
      li.classList.toggle("kept", data.spans[k]?.marginal >= value && !data.spans[k].beaten)
    );
  };
  list.append(
    ...data.spans.map((s) =>
      el(
        "li",
        { class: s.beaten ? "beaten" : null, title: s.beaten ? words.beaten : null },
        el("button.row-select", {
          dataset: { span: `${s.window} ${s.start} ${s.end}` },
          onclick: () => page.select(s),
        }, el("bdi", s.text)),
        el(
          "span.track[aria-hidden=true]",
          el("span.bar", { style: { width: `${100 * s.marginal}%` } }),
        ),
        el("span.tabular", s.printed),
      )
    ),
  );
  if (data.spans.some((s) => s.beaten)) list.append(el("li.beaten-key", words.beaten));
  const input = el("input#bio-threshold[type=range][step=0.01]", {
    min: 0.01,
    max: 0.99,
    value: data.value,
    oninput: () => tell(Number(input.value)),
    onchange: () => page.input("threshold", Number(input.value)),
  });
  tell(data.value);
  return el(
    "section",
    el("h3", el("label[for=bio-threshold]", words.threshold), " ", shown),
    input,
    data.spans.length ? list : el("p", "No span has a marginal above .02."),
    el(
      "p.role-quiet.tabular",
      `${data.says} P(no span at all): ${data.none}. ${words.threshold_help}`,
    ),
  );
}

function glue({ glue: data }, page) {
  if (!data.found) return [el("p", words.glue_none), offers(data.examples, page)];
  const g = data.found;
  const name = (r) => (r.span
    ? el("button.row-select", {
      onclick: () => page.select({ window: r.window, start: r.span[0], end: r.span[1] }),
    }, el("bdi", r.text))
    : el("span", words.backwards));
  const sum = (r) =>
    el(
      "td",
      el("span.role-start", r.s),
      el("span.role-end", addend(r.e)),
      ` ${r.sign} `,
      el("strong", r.score),
    );
  const kind = (r) => el("td.role-quiet", r.span ? words[r.key] : "");
  const pairs = grid("table.tabular", {
    label: words.glue,
    caption: words.glue_identity,
    rows: g.rows.map((r) => row(name(r), [kind(r), sum(r)], `pair-${r.key}`)),
  });
  const spans = ["first", "second", "glued", "backwards"];
  const losses = grid("table.tabular", {
    label: words.glue_loss,
    caption: `${words.glue_loss} ${g.steps} steps`,
    head: ["loss over", ...spans.map((s) => words[s]), "glued − best answer", "which is higher"],
    rows: g.losses.map((l) => row(l.loss, [...spans.map((s) => l[s]), l.margin, l.verdict])),
  });
  return [
    el("p.bio-says", g.says),
    pairs,
    el("p.bio-says", g.tags),
    el(
      "p.tabular",
      "The tags' view: exact marginals: ",
      g.marginals.map((m, k) => [k ? ", " : "", el("bdi.serif", m.text), ` ${m.p}`]),
    ),
    el(
      "p.tabular",
      `loss over legal pairs now: ${g.loss.legal} − ${g.loss.gold} ${g.loss.sign} `,
      el("strong", g.loss.loss),
      `; of the mass of legal pairs the two answers hold ${g.loss.answers}, the glue ` +
        `${g.loss.glued}.`,
    ),
    losses,
    el("p", words.glue_soft),
    el("p", words.glue_pairs),
  ];
}

export function draw(stage, picture, page) {
  stage.dataset.step = "spans";
  const key = sign([22, 16], svg("path.illegal", "M4,14L18,2"), words.illegal);
  stage.replaceChildren(
    el("p.bio-says", picture.decodings.says),
    el(
      "p.bio-legend",
      picture.decodings.illegal.length ? key : null,
      picture.decodings.rows.map((r) => el("span", `${words[r.name]}: ${r.rule}`)),
    ),
    el("p.bio-says.compare", picture.compare),
    threshold(picture, page),
    fold(words.glue, el("div.glue", glue(picture, page)), { id: "bio-glue" }),
  );
  select(stage, picture, page);
}

export function select(stage, _picture, page) {
  stage.querySelectorAll(".marginals").forEach((list) => pressRows(list, page.selection));
}
