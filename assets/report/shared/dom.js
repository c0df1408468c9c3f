// Build elements from data: text only ever becomes text nodes.

const SVG = "http://www.w3.org/2000/svg";

/** @type {Map<string, {tag: string, fixed: [string, string][]}>} */
const names = new Map();

/**
 * A tag with its fixed parts as a stylesheet names it: "p.quiet.wide#said[role=status]".
 * @param {string} name
 */
function named(name) {
  const known = names.get(name);
  if (known) return known;
  const [, tag, classes, id, rest] = /^(\w+)([^#[]*)#?([^[]*)(.*)$/.exec(name) ?? [];
  /** @type {[string, string][]} */
  const fixed = rest.slice(1, -1).split("][").filter(Boolean).map((part) => {
    const [attribute, value = ""] = part.split("=");
    return [attribute, value];
  });
  if (classes) fixed.push(["class", classes.slice(1).replaceAll(".", " ")]);
  if (id) fixed.push(["id", id]);
  const made = { tag, fixed };
  names.set(name, made);
  return made;
}

/** Properties are a plain object; what comes first and is none is a child. */
const isProps = (first) =>
  first !== null && typeof first === "object" && !(first instanceof Node) && !Array.isArray(first);

function fill(node, fixed, rest) {
  for (const [name, value] of fixed) node.setAttribute(name, value);
  const [props, children] = isProps(rest[0]) ? [rest[0], rest.slice(1)] : [{}, rest];
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined) continue;
    if (value === false && !name.startsWith("aria-")) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(node.style, value);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else node.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

/**
 * An element: el("p.quiet.wide[role=status]", {title, onclick: go}, "text", child). Properties may
 * be left out, as may children: null, undefined and false are none. A button sends no form unless
 * its `type` says so.
 * @param {string} name
 * @param {...any} rest
 * @returns {any}
 */
export function el(name, ...rest) {
  const { tag, fixed } = named(name);
  const node = document.createElement(tag);
  if (tag === "button") node.setAttribute("type", "button");
  return fill(node, fixed, rest);
}

/** Give an element new content, as `el` takes it. */
export function put(node, ...content) {
  node.replaceChildren();
  return fill(node, [], [{}, content]);
}

/** What the numbers of a shape's place are, in their order. */
const PLACES = {
  rect: ["x", "y", "width", "height", "rx"],
  circle: ["cx", "cy", "r"],
  line: ["x1", "y1", "x2", "y2"],
  text: ["x", "y", "text-anchor"],
};

/**
 * The same for a drawing, where a shape may say its place first: svg("rect.rule", [x, y, width,
 * height]), svg("circle", [x, y, r]), svg("line", [x1, y1, x2, y2]), svg("text.quiet", [x, y,
 * "end"], "words"), svg("path.rule", "M0,0H9").
 * @param {string} name
 * @param {...any} rest
 * @returns {any}
 */
export function svg(name, ...rest) {
  const { tag, fixed } = named(name);
  const node = document.createElementNS(SVG, tag);
  const at = tag === "path" && typeof rest[0] === "string" ? { d: rest.shift() } : {};
  if (tag in PLACES && Array.isArray(rest[0])) {
    rest.shift().forEach((value, k) => at[PLACES[tag][k]] = value);
  }
  return fill(fill(node, fixed, [at]), [], rest);
}

/**
 * The element inside `root` that has the focus, or null.
 * @param {Element} root
 * @returns {HTMLElement | null}
 */
export function focusIn(root) {
  const held = document.activeElement;
  return root.contains(held) ? /** @type {HTMLElement | null} */ (held) : null;
}

/**
 * The page's own formula: "t_ij" and "W_{word}" with what follows the line as a subscript.
 * @param {string} text
 * @returns {any[]}
 */
export const subs = (text) =>
  text.split(/_(?:\{([^}]*)\}|(\w+))/).map((part, k) => part && (k % 3 ? el("sub", part) : part));

/** The page's own sentence with each "12 %" kept on one line. */
export const glued = (text) => text.replaceAll(/(\d) %/g, "$1\u00a0%");

/**
 * A fold.
 * @param {any} summary
 * @param {any} content
 * @param {Record<string, any>} [more] properties: `open`, `id`, `ontoggle`
 */
export const fold = (summary, content, more = {}) =>
  el("details.fold", more, el("summary", summary), content);

/** Press a button that stays pressed, or let it go. */
export const press = (button, on) => button.setAttribute("aria-pressed", String(Boolean(on)));

/** Press the buttons of a list that select the selected span. */
export const pressRows = (root, chosen) => {
  const span = chosen && `${chosen.window} ${chosen.start} ${chosen.end}`;
  root.querySelectorAll(".row-select").forEach((one) => press(one, one.dataset.span === span));
};

/**
 * A place for a table that scrolls sideways where it must, for keyboards too.
 * @param {string} name
 * @param {...any} content
 */
export const tableBox = (name, ...content) =>
  el("div.table-box[tabindex=0][role=region]", { "aria-label": name }, content);

/**
 * The head of a table: one row of column names; what has no name heads nothing.
 * @param {any[]} names
 */
export const headRow = (names) =>
  el("thead", el("tr", names.map((name) => (name === "" ? el("td") : el("th[scope=col]", name)))));

const isCell = (node) => /^t[dh]$/i.test(node?.tagName);

/**
 * A row of a table: what heads it, and its cells; what is no cell yet stands in one.
 * @param {any} head
 * @param {any[]} cells
 * @param {string | null | false} [kind] its class
 */
export const row = (head, cells, kind = null) =>
  el(
    "tr",
    { class: kind || null },
    isCell(head) ? head : el("th[scope=row]", head),
    cells.flat().map((one) => one === null || isCell(one) ? one : el("td", one)),
  );

/**
 * A table of rows in a place of its own.
 * @param {string} name as `el` takes it
 * @param {{caption?: any, label?: any, head?: any[], rows: any, foot?: any}} parts `label`: the
 *   name of the place, where the caption is none
 */
export const grid = (name, { caption, label = caption, head, rows, foot }) =>
  tableBox(
    label,
    el(
      name,
      caption && el("caption", caption),
      head && headRow(head),
      el("tbody", rows),
      foot && el("tfoot", foot),
    ),
  );

/**
 * A drawing whose units are CSS pixels. `about` says what it is: a role and a name, or that it is
 * hidden.
 * @param {number} width
 * @param {number} height
 * @param {Record<string, any>} about
 * @param {...any} content
 */
export const drawing = (width, height, about, ...content) =>
  svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, ...about }, content);

/**
 * A sign of a legend and what it means.
 * @param {number[]} size its width and height
 * @param {any} shape
 * @param {any} text
 * @param {string} [name] as `el` takes it
 */
export const sign = ([width, height], shape, text, name = "span") =>
  el(name, svg("svg[aria-hidden=true]", { width, height }, shape), text);

/**
 * A legend in its usual place: signs of 26 by 16 and what they mean.
 * @param {any[][]} rows sign and text of each
 * @param {Record<string, any>} [about]
 */
export const legend = (rows, about = {}, viewBox = "0 0 26 16") =>
  el(
    "ul.legend",
    about,
    rows.map(([mark, ...text]) =>
      el("li", svg("svg.key[aria-hidden=true]", { viewBox }, mark), text)
    ),
  );

/** Give a drawing that stands its size. */
export function sized(node, width, height) {
  node.setAttribute("width", width);
  node.setAttribute("height", height);
}

/**
 * Buttons that open examples.
 * @param {{id: string, title: string}[]} examples
 * @param {any} page
 */
export const offers = (examples, page) =>
  el(
    "p.offers",
    examples.map(({ id, title }) =>
      el("button.boxed.plain", { onclick: () => page.open(id) }, title)
    ),
  );

/** A printed number, with its sign, its bound or its unit. */
const NUMBER = /^[<>≈]? ?[+−-]?\d[\d,.]*(?: ?%| nats?| bits?)?$/;

/**
 * Whether a column holds numbers alone, so that their digits stand under each other.
 * @param {string[][]} rows
 * @param {number} c
 */
export const isNumeric = (rows, c) =>
  rows.some((row) => row[c]) && rows.every((row) => !row[c] || NUMBER.test(row[c].trim()));

/**
 * A real table from {caption, head, rows, select}; rows with a selection are buttons for mouse and
 * keyboard. With more than two columns a narrow screen stacks each row: its heads stand before the
 * cells, and the roles keep it a table.
 * @param {{caption: string, head: string[], rows: string[][], select?: number[][]}} data `select`:
 *   window, start and end of each row
 * @param {any} [page]
 */
export function table({ caption, head, rows, select }, page) {
  const numeric = head.map((_, c) => (isNumeric(rows, c) ? "num" : null));
  const go = (/** @type {number[]} */ [window, start, end], /** @type {string} */ text) =>
    el("button.row-select", {
      dataset: { span: `${window} ${start} ${end}` },
      onclick: () => page.select({ window, start, end }),
    }, text);
  const cells = (row, r) =>
    row.map((text, c) => {
      /** @type {any} */
      const about = { class: numeric[c], dir: "auto", dataset: { head: head[c] } };
      if (c) return el("td[role=cell]", about, text);
      if (!/^[\d,]+$/.test(text)) about.dataset = {};
      return el("th[scope=row][role=rowheader]", about, select?.[r] ? go(select[r], text) : text);
    });
  return tableBox(
    caption,
    el(
      "table[role=table]",
      { class: head.length > 2 ? "many" : null },
      el("caption", caption),
      el(
        "thead[role=rowgroup]",
        el(
          "tr[role=row]",
          head.map((h, c) => el("th[scope=col][role=columnheader]", { class: numeric[c] }, h)),
        ),
      ),
      el("tbody[role=rowgroup]", rows.map((row, r) => el("tr[role=row]", cells(row, r)))),
    ),
  );
}

/**
 * The buttons that switch between the steps of a chapter: {root, show(key)}; their ids are
 * CHAPTER-step-KEY.
 * @param {string} chapter
 * @param {{key: string, title: string}[]} steps
 * @param {string} label
 * @param {(key: string) => void} go
 * @param {string} [name] as `el` takes it
 */
export function stepBar(chapter, steps, label, go, name = "div.steps") {
  const buttons = steps.map(({ key, title }, k) =>
    el(
      "button.plain.step",
      { id: `${chapter}-step-${key}`, dataset: { step: key }, onclick: () => go(key) },
      el("span.number", k + 1),
      title,
    )
  );
  return {
    root: el(`${name}[role=group]`, { "aria-label": label }, buttons),
    show: (key) => buttons.forEach((one) => press(one, one.dataset.step === key)),
  };
}

/**
 * Is this key the one that presses a button?
 * @param {KeyboardEvent} event
 */
export const isPress = (event) => event.key === "Enter" || event.key === " ";

/**
 * What makes an element with role=button act like one: a click, Enter and Space.
 * @param {(event: any) => void} act
 */
export const pressed = (act) => ({
  onclick: act,
  onkeydown: (/** @type {KeyboardEvent} */ event) => {
    if (!isPress(event)) return;
    event.preventDefault();
    act(event);
  },
});

/**
 * Roving tabindex: one tab stop, arrow keys move the focus, Home and End jump. `horizontal: false`
 * for up and down, `columns` for a grid.
 */
export function roving(container, selector, { horizontal = true, current = 0, columns = 0 } = {}) {
  const items = () => [...container.querySelectorAll(selector)];
  const steps = {
    ...(horizontal ? { ArrowRight: 1, ArrowLeft: -1 } : { ArrowDown: 1, ArrowUp: -1 }),
    ...(columns ? { ArrowDown: columns, ArrowUp: -columns } : {}),
  };
  const stop = (list, i) =>
    list.forEach((item, k) => item.setAttribute("tabindex", k === i ? "0" : "-1"));
  stop(items(), current);
  container.addEventListener("keydown", (event) => {
    const list = items();
    const at = list.indexOf(event.target.closest?.(selector));
    if (at < 0) return;
    const to = { Home: 0, End: list.length - 1 }[event.key] ?? at + steps[event.key];
    if (!list[to]) return;
    event.preventDefault();
    stop(list, to);
    list[to].focus();
  });
}

/** The hollow triangle that marks a separate argmax: above the text for start, below for end. */
export function hollow(x, y, role, size = 6) {
  const d = role === "start"
    ? `M${x - size},${y - size * 1.5}h${2 * size}L${x},${y}Z`
    : `M${x - size},${y + size * 1.5}h${2 * size}L${x},${y}Z`;
  return svg(`path.hollow.${role}[aria-hidden=true]`, d);
}
