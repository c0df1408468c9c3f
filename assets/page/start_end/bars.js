// The bar chart with hover and zoom, drawn by the plotly.js of the Python package; loaded when its
// fold is first opened.

import { el } from "../shared/dom.js";

let mine = null;

/**
 * Our own plotly: gr.Plot ships an older one and overwrites window.Plotly, so a private reference
 * is kept.
 */
export function plotly() {
  mine ??= new Promise((done, failed) => {
    const page = /** @type {any} */ (globalThis);
    const before = page.Plotly;
    const src = new URL("static/plotly.min.js", document.baseURI).href;
    const script = el("script", { src });
    script.onload = () => {
      const loaded = page.Plotly;
      if (before) page.Plotly = before;
      done(loaded);
    };
    script.onerror = () => {
      mine = null;
      failed(new Error("plotly.min.js could not be loaded"));
    };
    document.head.append(script);
  });
  return mine;
}

const CONFIG = {
  displaylogo: false,
  showSendToCloud: false,
  responsive: true,
  modeBarButtonsToRemove: ["select2d", "lasso2d"],
};

function dressed(figure, { page, log }, width) {
  const [ink, line] = [page.colour("ink"), page.colour("line")];
  const colours = { start: page.colour("start"), end: page.colour("end") };
  const data = figure.data.map((trace) => ({
    ...trace,
    marker: { ...trace.marker, color: colours[trace.name] },
  }));
  const axis = { linecolor: line, tickcolor: line, gridcolor: line };
  const scale = (flip) => (log
    ? {
      type: "log",
      autorange: false,
      range: flip ? [0.05, -4] : [-4, 0.05],
      tickvals: [0.0001, 0.01, 1],
      ticktext: ["0.0001", "0.01", "1"],
    }
    : {});
  const layout = {
    ...figure.layout,
    height: figure.layout.height * page.scale,
    font: { family: getComputedStyle(document.body).fontFamily, size: 12 * page.scale, color: ink },
    hoverlabel: { bgcolor: page.colour("paper"), bordercolor: ink, font: { color: ink } },
    xaxis: {
      ...figure.layout.xaxis,
      ...axis,
      ...ticks(figure, figure.layout.xaxis.range, width, page.scale),
    },
    yaxis: { ...figure.layout.yaxis, ...axis, ...scale(false) },
    yaxis2: { ...figure.layout.yaxis2, ...axis, ...scale(true) },
  };
  return { data, layout };
}

// Every token is named only where the labels have room, about one in 16 pixels; plotly measures each
// name that it is given, and the page is laid out anew for it.
function ticks(figure, range, width, size) {
  const { tickvals, ticktext } = figure.layout.xaxis;
  const inside = tickvals.filter((x) => x >= range[0] && x <= range[1]);
  const step = Math.max(1, Math.ceil((inside.length * 16 * size) / Math.max(1, width)));
  const kept = inside.filter((x) => x % step === 0);
  return { tickvals: kept, ticktext: kept.map((x) => ticktext[x]) };
}

function shapes({ page, window: w }) {
  const chosen = page.selection;
  if (!chosen || chosen.window !== w.index) return [];
  return [{
    type: "rect",
    xref: "x",
    yref: "paper",
    x0: w.pos(chosen.start) - 0.5,
    x1: w.pos(chosen.end) + 0.5,
    y0: 0,
    y1: 1,
    line: { color: page.colour("ink"), width: 1.5 },
    fillcolor: "transparent",
  }];
}

/**
 * {root, draw(model, figure), mark(model)}: bars in a box of their own; a click selects as a stem
 * does. A picture comes without its figure until somebody asks for it.
 */
export function bars(choose, ask) {
  // a group: its tools can be focused, which nothing in a picture may be
  const chart = el("div.bars[role=group]", {
    "aria-label": "Bar chart of both distributions; its numbers stand in the table",
  });
  const said = el("p.role-quiet", "loading ...");
  const box = el("div", said, chart);
  let now = null;
  let busy = false;
  const room = () => chart.clientWidth - 64;
  const retick = (P, range) => {
    const { tickvals, ticktext } = ticks(now.figure, range, room(), now.model.page.scale);
    return P.relayout(chart, { "xaxis.tickvals": tickvals, "xaxis.ticktext": ticktext });
  };
  const listen = (P) => {
    chart.on("plotly_click", ({ points: [point] }) => {
      const { window: w } = now.model;
      const doc = w.doc(point.x);
      if (w.holds(doc)) choose(point.data.name, doc);
    });
    chart.on("plotly_relayout", (change) => {
      if (
        busy ||
        !Object.keys(change).some((key) =>
          key.startsWith("xaxis.range") || key === "xaxis.autorange"
        )
      ) return;
      busy = true;
      retick(P, chart.layout.xaxis.range).then(() => {
        busy = false;
      });
    });
  };
  return {
    root: box,
    async draw(model, figure) {
      if (!figure) return ask();
      const first = now === null;
      now = { model, figure };
      try {
        const P = await plotly();
        const { data, layout } = dressed(figure, model, room());
        busy = true;
        await P.react(chart, data, { ...layout, shapes: shapes(model) }, CONFIG);
        busy = false;
        said.textContent =
          "Drag over a part of the axis to zoom, double-click to zoom out; a click selects.";
        if (first) listen(P);
      } catch (error) {
        now = null;
        said.textContent = String(error instanceof Error ? error.message : error);
      }
    },
    async mark(model) {
      if (!now) return;
      now.model = model;
      (await plotly()).relayout(chart, { shapes: shapes(model) });
    },
  };
}
