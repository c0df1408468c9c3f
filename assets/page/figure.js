// plotly draws what a figure block holds; colours are roles, the selection is an overlay.

import { el } from "./dom.js";
import { BASE, set } from "./store.js";

const SCALES = { score: ["low", "ink"], share: ["paper", "ink"] };
const ROLES = new Set(
  "ink grey start end gold line mid other pale paper low tag-b tag-i tag-o".split(" "),
);
const FONTS = ['13px "Spanlight Sans"', 'bold 13px "Spanlight Sans"', '16px "Spanlight Serif"'];

const MISSING = "The picture has not come yet; its numbers stand in the table. " +
  "If it stays away, load the page again.";
const LATE = 8000;
const NOISE =
  "Against fingerprinting this browser gives noise for what a page draws: these colours " +
  "are not the numbers'. Let this page use its canvas and load it again, or read the table.";
/** Whether an empty drawing comes back empty; plotly's heat maps pass through one. */
const drawsTrue = () =>
  el("canvas").getContext("2d").getImageData(0, 0, 4, 4).data.every((value) => value < 9);

/** @type {Promise<any> | null} */
let loading = null, faces = null;
/** Whether both came: then a figure is drawn at once, as Firefox prints before a promise goes on. */
let ready = false;

/** plotly.js, when a figure is first needed. */
function plotly() {
  if (globalThis.Plotly) return Promise.resolve(globalThis.Plotly);
  loading ??= new Promise((done, failed) => {
    const script = el("script", { src: new URL("static/page/plotly.js", BASE).href });
    script.onload = () =>
      // a press in between is heard; what came may be another page
      setTimeout(() => globalThis.Plotly ? done(globalThis.Plotly) : script.onerror());
    script.onerror = () => {
      loading = null;
      failed(new Error("plotly.js did not come"));
    };
    document.head.append(script);
  });
  return loading;
}

/** The fonts of a figure; where they do not come it is drawn in others. */
const fonts = () =>
  faces ??= Promise.race([
    Promise.allSettled(FONTS.map((face) => document.fonts.load(face))),
    new Promise((go) => setTimeout(go, 3000)),
  ]);

const colour = (role) =>
  getComputedStyle(document.querySelector(".spanlight") ?? document.body).getPropertyValue(
    `--${role}`,
  ).trim();

function mix(scale, at) {
  const [a, b] = SCALES[scale].map((role) =>
    (colour(role).match(/\w\w/g) ?? []).map((h) => parseInt(h, 16))
  );
  return `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * at)).join()})`;
}

/** The same value, each of its leaves changed by `change(leaf, key, holder, inList)`; typed arrays stay. */
function changed(value, change, key = "", holder = {}, inList = false) {
  if (Array.isArray(value)) return value.map((one) => changed(one, change, key, holder, true));
  if (!value || typeof value !== "object") return change(value, key, holder, inList);
  if (value.bdata) return value;
  const entry = ([k, one]) => [k, changed(one, change, k, value)];
  return Object.fromEntries(Object.entries(value).map(entry));
}

/** Colours in the place of roles. */
const themed = (value) =>
  changed(value, (leaf, key) => {
    if (typeof leaf !== "string") return leaf;
    if (key === "colorscale" && SCALES[leaf]) {
      return SCALES[leaf].map((r, i, all) => [i / (all.length - 1), colour(r)]);
    }
    const shade = /^(score|share):([\d.]+)$/.exec(leaf);
    if (shade) return mix(shade[1], Number(shade[2]));
    return ROLES.has(leaf) && /color/i.test(key) ? colour(leaf) : leaf;
  });

/** What a narrow screen shows differently: paths of the layout, or "data.TYPE.path". */
function narrowed(data, layout, paths) {
  const put = (on, keys, value) => {
    const last = keys.pop();
    for (const key of keys) on = on[key] ??= {};
    on[last] = value;
  };
  for (const [path, value] of Object.entries(paths)) {
    const keys = path.split(".");
    if (keys[0] !== "data") put(layout, keys, value);
    else for (const trace of data) if (trace.type === keys[1]) put(trace, keys.slice(2), value);
  }
}

const PIXELS = new Set(
  ("height width size l r t b xshift yshift standoff thickness borderpad borderwidth ticklen ax ay " +
    "arrowwidth outlinewidth").split(" "),
);

/** How much larger the page is shown in front of a class. */
const zoom = () => Number(document.body.style.getPropertyValue("--zoom")) || 1;

/** Whether a figure has a phone's width, or less than the width that it was drawn for. */
const narrow = (node, below = 480) => (node.clientWidth || innerWidth) < below * zoom();

/** A layout as large as the page is shown: in front of a class, where pages zoom and plotly does not. */
const scaled = (value, by) =>
  changed(value, (leaf, key, holder, inList) => {
    const place = (key === "ax" || key === "ay") && holder[`${key}ref`]; // no pixels
    return typeof leaf === "number" && PIXELS.has(key) && !inList && !place ? leaf * by : leaf;
  });

/** The patch of a click on a point: names of the point's values, or values as they stand. */
function patch(sets, point) {
  const one = (name) => typeof name === "string" && name in point ? point[name] : name;
  return Object.fromEntries(
    Object.entries(sets).map((
      [field, names],
    ) => [field, Array.isArray(names) ? names.map(one) : one(names)]),
  );
}

/** Whether a figure of bars differs from an earlier one in its values alone: then its axes stay,
 * whose names take plotly three quarters of a drawing.
 */
function onlyValues(one, other) {
  const rest = ({ data, layout }) =>
    JSON.stringify([layout, data.map((trace) => ({ ...trace, y: 0, text: 0, customdata: 0 }))]);
  return one.data[0]?.type === "bar" && rest(one) === rest(other);
}

/** An element that is drawn when it comes near the screen, and anew when its width changes: beside
 * a pinned picture, beside a lesson, on a turned phone.
 */
function watched() {
  const node = el("div", { class: "figure", role: "img" });
  let width = 0;
  const sized = new ResizeObserver(() => {
    if (!node.clientWidth || node.clientWidth === width) return;
    width = node.clientWidth;
    node.draw();
  });
  const seen = new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    seen.disconnect();
    sized.observe(node);
  }, { rootMargin: "1000px" });
  seen.observe(node);
  return node;
}

addEventListener("beforeprint", () => { // a sheet shows what nobody scrolled to
  for (const node of /** @type {any} */ (document.querySelectorAll(".figure"))) {
    if (node.clientWidth && !node.data) node.draw();
  }
});

/** Names and numbers that a long word pushed over the figure's edge move back inside. */
function inside(node) {
  const box = node.getBoundingClientRect();
  const shift = (low, high, least, most) => Math.max(least - low, Math.min(0, most - high));
  const said = ".annotation-text-g, .textpoint, .infolayer text[class$=title]";
  const texts = node.querySelectorAll(said);
  for (const text of texts) text.style.translate = "";
  const shifts = [...texts].map((text) => {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    return [shift(left, right, box.left, box.right), shift(top, bottom, box.top, box.bottom)];
  });
  for (const [k, [x, y]] of shifts.entries()) {
    if (x || y) texts[k].style.translate = `${x}px ${y}px`;
  }
}

export function figure(b, old) {
  const node = old?.node ?? watched();
  node.setAttribute("aria-label", b.alt);
  let over = b.overlay ?? {}, framed = null, drawn = false;
  let valuesOnly = Boolean(old?.block && onlyValues(old.block, b));

  const frame = () => {
    if (!framed || !b.frame) return [];
    const [y, x] = framed, h = b.frame.half;
    const corners = { x0: x - h, x1: x + h, y0: y - h, y1: y + h };
    const line = (role, width) => ({
      type: "rect",
      ...corners,
      line: { color: colour(role), width },
    });
    return [line("paper", 8), line("ink", 4)]; // also seen on dark cells
  };
  const withOverlay = (layout) => {
    const { shapes = [], annotations = [] } = scaled(themed(over), zoom());
    return {
      shapes: [...layout.shapes, ...shapes, ...frame()],
      annotations: [...layout.annotations, ...annotations],
    };
  };
  const narrower = () => [b.narrow ?? []].flat().filter(({ below }) => narrow(node, below));
  let base = { shapes: [], annotations: [] };
  /** Whether plotly and the fonts came. */
  const came = async () => {
    const late = setTimeout(() => node.textContent = MISSING, LATE);
    try {
      await Promise.all([plotly(), fonts()]);
      return ready = true;
    } catch {
      node.textContent = MISSING;
      setTimeout(() => node.isConnected && node.draw(), LATE);
      return false;
    } finally {
      clearTimeout(late);
    }
  };
  const draw = async () => {
    if (!ready && !await came()) return;
    if (node.draw !== draw) return node.draw(); // a newer picture came while plotly did
    if (node.textContent === MISSING) node.textContent = "";
    const dark = document.documentElement.dataset.theme === "dark";
    node.classList.toggle("dark", dark && !matchMedia("print").matches); // what paper inverts
    const data = themed(b.data), layout = themed(b.layout);
    for (const { below: _, ...paths } of narrower()) narrowed(data, layout, themed(paths));
    const by = zoom(), Plotly = globalThis.Plotly;
    for (const trace of data) {
      for (const part of ["marker", "line", "textfont", "insidetextfont", "colorbar"]) {
        if (trace[part]) trace[part] = scaled(trace[part], by);
      }
    }
    base = scaled({ shapes: layout.shapes ?? [], annotations: layout.annotations ?? [] }, by);
    const style = {
      margin: { l: 64, r: 10, t: 10, b: 56 },
      showlegend: false,
      hovermode: "closest",
      dragmode: false,
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: '"Spanlight Sans", sans-serif', size: 13, color: colour("ink") },
      hoverlabel: { font: { family: '"Spanlight Sans", sans-serif' } },
    };
    const whole = {
      ...scaled({ ...style, ...layout }, by),
      ...withOverlay(base),
      width: node.clientWidth,
    };
    node.style.minHeight = `${whole.height}px`;
    for (const name of Object.keys(whole)) {
      if (/^[xy]axis/.test(name)) whole[name].fixedrange = true;
    }
    if (valuesOnly && node.data) {
      const values = { data: data.map(({ y, text, customdata }) => ({ y, text, customdata })) };
      const atOnce = { frame: { duration: 0, redraw: false }, transition: { duration: 0 } };
      await Plotly.animate(node, values, { ...atOnce, mode: "immediate" }).catch((fault) => {
        if (fault) throw fault; // without one a newer picture took its place
      });
    } else {
      Plotly.react(node, data, whole, { displayModeBar: false }); // stands when it returns
    }
    const noise = data.some(({ type }) => type === "heatmap") && !drawsTrue();
    if (noise && !node.querySelector(".note")) node.append(el("p", { class: "note" }, NOISE));
    inside(node);
    drawn = true, valuesOnly = false;
    node.removeAllListeners("plotly_click");
    node.on("plotly_click", ({ points: [point] }) => {
      const sets = b.data[point.curveNumber].sets;
      if (sets) set(patch(sets, point));
    });
  };
  const relayout = (what) =>
    drawn && globalThis.Plotly.relayout(node, what).then(() => inside(node));
  node.style.minHeight = `${narrower().at(-1)?.height ?? b.layout.height}px`;
  node.draw = draw;
  if (node.data) queueMicrotask(draw);
  return {
    node,
    block: b,
    mark(marks) {
      const cell = b.frame ? marks[b.frame.field] : null;
      if (!cell || String(cell) === String(framed)) return;
      framed = cell;
      relayout({ shapes: withOverlay(base).shapes });
    },
    overlay(newer) {
      if (JSON.stringify(newer) === JSON.stringify(over)) return;
      over = newer;
      requestAnimationFrame(() => relayout(withOverlay(base)));
    },
    redraw: draw,
  };
}
