// The report on a file of predictions: pictures, and a table to filter. Every text of a file or a
// reader becomes a page through textContent only.
/* global Plotly */

const data = JSON.parse(document.getElementById("data").textContent);
const main = document.querySelector("main");
const dark = matchMedia("(prefers-color-scheme: dark)");
const PAGE = 50;
const state = { kind: "", pair: "", text: "", sort: "file", from: 0 };

function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return made;
}

const one = (x) => x.toFixed(1);
const two = (x) => x.toFixed(2);
const many = (n, thing) => `${n.toLocaleString("en")} ${thing}${n === 1 ? "" : "s"}`;

function section(title, ...children) {
  const made = el("section", {}, el("h2", {}, title), ...children);
  main.append(made);
  return made;
}

function table(caption, head, rows, numbers = 1) {
  const cells = (tag, row) =>
    row.map((cell, k) =>
      el(k === 0 && tag === "td" ? "th" : tag, {
        scope: tag === "th" ? "col" : k === 0 ? "row" : undefined,
        class: k >= numbers ? "number" : undefined,
      }, cell)
    );
  return el(
    "div",
    { class: "wide" },
    el(
      "table",
      {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, ...cells("th", head))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...cells("td", row)))),
    ),
  );
}

// --- pictures ----------------------------------------------------------------------------------

const drawn = [];

/** A Plotly picture that is drawn again when light and dark change. `words` says what it shows. */
function picture(parent, words, traces, layout = {}, height = 320) {
  const box = el("div", { class: "picture", role: "img", "aria-label": words });
  parent.append(box);
  const draw = () => {
    const style = getComputedStyle(document.documentElement);
    const [ink, line, accent, second] = ["--ink", "--line", "--accent", "--second"].map((name) =>
      style.getPropertyValue(name).trim()
    );
    const axis = { gridcolor: line, zerolinecolor: line, linecolor: line, fixedrange: true };
    Plotly.react(box, traces({ ink, line, accent, second }), {
      height,
      margin: { l: 56, r: 16, t: 12, b: 48 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: style.fontFamily, size: 14, color: ink },
      showlegend: false,
      ...layout,
      xaxis: { ...axis, ...layout.xaxis },
      yaxis: { ...axis, ...layout.yaxis },
      legend: { orientation: "h", y: 1.12, ...layout.legend },
    }, { displayModeBar: false });
  };
  drawn.push(draw);
  draw();
  // the window, and the next picture, which takes half of the room
  new ResizeObserver(() => Plotly.Plots.resize(box)).observe(box);
}

function bars(parent, words, rows) {
  picture(parent, words, ({ accent, ink }) => [{
    type: "bar",
    orientation: "h",
    x: rows.map((row) => row.f1),
    y: rows.map((row) => row.name),
    marker: { color: accent },
    text: rows.map((row) => `${one(row.f1)}  (${row.count.toLocaleString("en")})`),
    textposition: "outside",
    textfont: { color: ink },
    cliponaxis: false,
    hoverinfo: "skip",
  }], {
    margin: { l: 130, r: 24, t: 4, b: 40 },
    xaxis: { range: [0, 140], tickvals: [0, 25, 50, 75, 100], title: { text: "F1" } },
    yaxis: { autorange: "reversed", type: "category", automargin: true, showgrid: false },
  }, 60 + 34 * rows.length);
}

// --- sections ----------------------------------------------------------------------------------

function head() {
  const { run, other, scores } = data;
  document.title = `Report: ${run.reader} on ${run.file}`;
  main.append(
    el("h1", {}, `${run.reader} on ${run.file}`),
    el(
      "p",
      { class: "lead" },
      `${many(scores.count, "question")}, rules of SQuAD ${run.rules}: exact ${
        one(scores.exact)
      }, `,
      `F1 ${one(scores.f1)}.`,
    ),
    el(
      "p",
      {},
      run.rules === "1.1"
        ? "Every question of the file has an answer, so the best span always counts."
        : `An answer is withheld where score_diff = null - best is above ${
          run.threshold === null ? "no limit" : two(run.threshold)
        }.`,
    ),
  );
  if (other) main.append(el("p", {}, `Compared with ${other.reader}.`));
}

function kinds() {
  const rows = data.kinds.map((kind) => [
    el("span", {}, kind.name, el("span", { class: "meaning" }, kind.meaning)),
    kind.count.toLocaleString("en"),
    `${one(100 * kind.count / data.scores.count)} %`,
    one(kind.f1),
  ]);
  const made = section(
    "What went wrong",
    table(
      "Each question has one kind; the first rule that holds decides.",
      ["kind", "questions", "share", "F1"],
      rows,
    ),
  );
  const wrong = data.kinds.filter((kind) => kind.name !== "right");
  picture(made, "Questions by kind of error", ({ second, ink }) => [{
    type: "bar",
    orientation: "h",
    x: wrong.map((kind) => kind.count),
    y: wrong.map((kind) => kind.name),
    marker: { color: second },
    text: wrong.map((kind) => kind.count.toLocaleString("en")),
    textposition: "outside",
    textfont: { color: ink },
    cliponaxis: false,
    hoverinfo: "skip",
  }], {
    margin: { l: 230, r: 48, t: 4, b: 40 },
    xaxis: { title: { text: "questions" }, rangemode: "tozero" },
    yaxis: { autorange: "reversed", automargin: true, showgrid: false },
  }, 60 + 34 * wrong.length);
}

function groups() {
  const made = section(
    "Where it is good, where it is weak",
    el(
      "p",
      {},
      "F1 of each group; the number of questions in brackets. A small group says little.",
    ),
  );
  const grid = el("div", { class: "grid" });
  made.append(grid);
  for (const { title, rows } of data.groups) {
    if (!rows.length) continue;
    const box = el("div", {}, el("h3", {}, title));
    grid.append(box);
    bars(box, `F1 by ${title.toLowerCase()}`, rows);
  }
}

function calibrated() {
  const found = data.calibration;
  if (!found) return;
  const made = section(
    "How sure, and how often right",
    el(
      "p",
      {},
      found.fitted
        ? "The calibrated probability of the best span against how often it is exactly right. "
        : "P(start) P(end) of the best span in its window against how often it is exactly right. " +
          "This reader comes without a calibration; python -m qa_demo calibrate fits one. ",
      `Mean distance of the two, weighted by questions: ${found.error.toFixed(3)} `,
      `(${many(found.questions, "question")} with an answer).`,
    ),
  );
  picture(made, "Share exactly right by probability", ({ accent, line }) => [
    { x: [0, 1], y: [0, 1], mode: "lines", line: { color: line, dash: "dash" }, hoverinfo: "skip" },
    {
      x: found.bins.map((bin) => bin.mean_prob),
      y: found.bins.map((bin) => bin.accuracy),
      mode: "markers",
      marker: { color: accent, size: found.bins.map((bin) => 6 + Math.sqrt(bin.count)) },
      customdata: found.bins.map((bin) => bin.count),
      hovertemplate: "%{x:.2f} said, %{y:.2f} right, %{customdata} questions<extra></extra>",
    },
  ], {
    xaxis: { range: [-0.02, 1.05], title: { text: "probability" } },
    yaxis: { range: [-0.02, 1.08], title: { text: "exactly right" } },
  });
  made.append(
    el(
      "p",
      { class: "note" },
      "A larger dot is more questions; on the line a probability is true.",
    ),
  );
}

function thresholds() {
  const found = data.thresholds;
  if (!found) return;
  const made = section(
    "The no-answer threshold",
    el(
      "p",
      {},
      "What every threshold would do on these questions. Moving it right withholds less.",
    ),
  );
  const x = found.points.map((point) => point.threshold);
  const lines = [["accuracy", "answering or not is right"], [
    "answerable_f1",
    "F1 where there is an answer",
  ]];
  picture(
    made,
    "Accuracy and F1 by threshold",
    ({ accent, second }) =>
      lines.map(([key, name], k) => ({
        x,
        y: found.points.map((point) => point[key]),
        name,
        mode: "lines",
        line: { color: k ? second : accent, width: 2, dash: k ? "dot" : "solid" },
        hovertemplate: `threshold %{x:.2f}: %{y:.1f} %<extra>${name}</extra>`,
      })),
    {
      showlegend: true,
      xaxis: { title: { text: "threshold on score_diff" } },
      yaxis: { title: { text: "percent" } },
      shapes: found.used === null ? [] : [{
        type: "line",
        x0: found.used,
        x1: found.used,
        y0: 0,
        y1: 1,
        yref: "paper",
        line: { dash: "dash", color: "gray" },
      }],
    },
  );
  if (found.used !== null) {
    made.append(
      el("p", { class: "note" }, `The dashed line is the one in use, ${two(found.used)}.`),
    );
  }
}

function pair() {
  const found = data.pair;
  if (!found) return;
  const interval = (difference) =>
    `${difference.value > 0 ? "+" : ""}${two(difference.value)} (${two(difference.low)} to ${
      two(difference.high)
    })`;
  const differs = found.f1.low > 0 || found.f1.high < 0;
  section(
    "Two readers on the same questions",
    table("Exactly right", ["by", "questions"], [
      ["both", found.both.toLocaleString("en")],
      [`only ${data.run.reader}`, found.only_a.toLocaleString("en")],
      [`only ${data.other.reader}`, found.only_b.toLocaleString("en")],
      ["neither", found.neither.toLocaleString("en")],
    ]),
    el(
      "p",
      {},
      `${data.run.reader} minus ${data.other.reader}, in points with a 95 % interval: F1 ${
        interval(found.f1)
      }, exact ${interval(found.exact)}. `,
      differs
        ? "The interval of F1 leaves out 0."
        : "The interval of F1 holds 0: on these questions the two cannot be told apart.",
    ),
    el("p", { class: "note" }, "Paired bootstrap: questions drawn with replacement, 2,000 times."),
  );
}

// --- the table of questions --------------------------------------------------------------------

const RIGHTS = {
  "both right": (row) => row.exact === 1 && row.other.exact === 1,
  "only the first right": (row) => row.exact === 1 && row.other.exact !== 1,
  "only the second right": (row) => row.exact !== 1 && row.other.exact === 1,
  "both wrong": (row) => row.exact !== 1 && row.other.exact !== 1,
};
const SORTS = {
  file: null,
  "F1, lowest first": (a, b) => a.f1 - b.f1,
  "surest first": (a, b) => (b.probability ?? -1) - (a.probability ?? -1),
};

function matching() {
  const wanted = state.text.toLowerCase();
  const rows = data.rows.filter((row) =>
    (!state.kind || (state.kind === "wrong" ? row.kind !== "right" : row.kind === state.kind)) &&
    (!state.pair || RIGHTS[state.pair](row)) &&
    (!wanted ||
      [row.question, row.answer ?? "", row.id, ...row.gold].some((text) =>
        text.toLowerCase().includes(wanted)
      ))
  );
  return SORTS[state.sort] ? rows.toSorted(SORTS[state.sort]) : rows;
}

/** The case in Spanlight, at the chapter that shows its cause; the page reads it from after #. */
function link(row) {
  const { options, threshold } = data.run;
  const fields = {
    v: 1,
    q: row.question,
    p: data.contexts[row.context],
    windows: [options.max_seq_length, options.doc_stride, options.max_query_length].join("_"),
    decode: [options.max_answer_length, options.n_best_size, threshold ?? 0].join("_"),
    chapter: row.chapter,
    ...(row.span ? { span: row.span.join("_") } : {}),
    ...(row.ranges.length ? { gold: row.ranges.map((range) => range.join("-")).join("_") } : {}),
  };
  const text = Object.entries(fields).map(([name, value]) =>
    `${name}=${encodeURIComponent(value)}`
  );
  return `${data.page}#${text.join("&")}`;
}

function questionRow(row) {
  const missing = (text) => el("em", {}, text);
  const cells = [
    el("td", {}, el("a", { href: link(row), target: "_blank", rel: "noopener" }, row.question)),
    el("td", {}, row.gold.length ? row.gold.join(" | ") : missing("no answer")),
    el("td", {}, row.answer ?? missing(row.best === null ? "nothing" : "withheld")),
    el(
      "td",
      {},
      row.because && row.kind === "gold not reachable" ? `${row.kind} (${row.because})` : row.kind,
    ),
    el("td", { class: "number" }, two(row.f1)),
    el("td", { class: "number" }, row.probability === null ? "" : two(row.probability)),
  ];
  if (row.other) {
    cells.push(el("td", {}, row.other.answer ?? missing("withheld")));
    cells.push(el("td", { class: "number" }, two(row.other.f1)));
  }
  return el("tr", {}, ...cells);
}

function questions() {
  const body = el("tbody");
  const shown = el("p", { "aria-live": "polite" });
  const earlier = el("button", { type: "button", onclick: () => turn(-PAGE) }, "Previous");
  const later = el("button", { type: "button", onclick: () => turn(PAGE) }, "Next");
  const head = ["question", "right", "answer", "kind", "F1", "probability"];
  if (data.pair) head.push(`answer of ${data.other.reader}`, "F1");

  function fill() {
    const rows = matching();
    state.from = Math.max(0, Math.min(state.from, PAGE * Math.floor((rows.length - 1) / PAGE)));
    const part = rows.slice(state.from, state.from + PAGE);
    body.replaceChildren(...part.map(questionRow));
    shown.textContent = rows.length
      ? `${state.from + 1} to ${state.from + part.length} of ${many(rows.length, "question")}`
      : "No question fits.";
    earlier.disabled = state.from === 0;
    later.disabled = state.from + PAGE >= rows.length;
  }
  function turn(by) {
    state.from += by;
    fill();
  }
  function choose(label, key, options) {
    const select = el("select", {
      id: key,
      onchange: (event) => {
        state[key] = event.target.value;
        state.from = 0;
        fill();
      },
    }, ...options.map(([value, name]) => el("option", { value }, name)));
    return el("span", {}, el("label", { for: key }, label), " ", select);
  }
  const search = el("input", {
    id: "text",
    type: "search",
    oninput: (event) => {
      state.text = event.target.value;
      state.from = 0;
      fill();
    },
  });
  const kindNames = data.kinds.map(({ name, count }) => [name, `${name} (${count})`]);
  section(
    "Every question",
    el(
      "p",
      {},
      "A question opens in Spanlight at ",
      el("code", {}, data.page),
      ", at the chapter that shows the cause; start it with the same reader.",
    ),
    el(
      "div",
      { class: "filters" },
      choose("Kind", "kind", [["", "all"], ["wrong", "all but right"], ...kindNames]),
      ...(data.pair
        ? [
          choose("Readers", "pair", [["", "all"], ...Object.keys(RIGHTS).map((key) => [key, key])]),
        ]
        : []),
      choose(
        "Order",
        "sort",
        Object.keys(SORTS).map((key) => [key, key === "file" ? "as in the file" : key]),
      ),
      el("span", {}, el("label", { for: "text" }, "Holds the text"), " ", search),
    ),
    shown,
    el(
      "div",
      { class: "wide" },
      el(
        "table",
        { class: "questions" },
        el("thead", {}, el("tr", {}, ...head.map((name) => el("th", { scope: "col" }, name)))),
        body,
      ),
    ),
    el("div", { class: "filters" }, earlier, later),
  );
  fill();
}

head();
kinds();
groups();
calibrated();
thresholds();
pair();
questions();
dark.addEventListener("change", () => drawn.forEach((draw) => draw()));
