// A copy of a picture that carries its looks along: every element with the styles that the browser
// computed for it, as classes of one sheet. Controls, scripts and addresses stay behind.

import { el } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";

/** What is only there to be pressed or typed into; the style for print hides the same. */
export const CONTROLS = [
  "button.plain:not([aria-pressed='true'])",
  ".act, .rerun, .offer, .side, .cut, textarea, .scores-form, .compare",
  "input:not([type='checkbox']):not([type='radio'])",
  ".fold:not([open])",
].join(", ");
const LEFT_OUT = "script, style, link, iframe, object, embed, audio, video";

const named = (/** @type {string} */ names) => names.trim().split(/\s+/);

/** Properties that a copy keeps where they differ from the initial ones, which its spans have. */
const OWN = named(`
  position top right bottom left float box-sizing margin-top margin-right margin-bottom margin-left
  padding-top padding-right padding-bottom padding-left border-top border-right border-bottom
  border-left border-top-left-radius border-top-right-radius border-bottom-left-radius
  border-bottom-right-radius background-color background-image background-position background-size
  background-repeat box-shadow box-decoration-break outline outline-offset overflow-x overflow-y
  opacity transform transform-origin vertical-align text-decoration-line text-decoration-style
  text-decoration-color text-decoration-thickness text-overflow unicode-bidi z-index flex-direction
  flex-wrap flex-grow flex-shrink flex-basis align-items align-self align-content justify-content
  justify-items justify-self order row-gap column-gap grid-template-columns grid-template-rows
  grid-column-start grid-column-end grid-row-start grid-row-end table-layout clip-path`);
/** The same for what a child takes from its parent. */
const INHERITED = named(`
  color font-family font-size font-style font-weight font-variant-numeric line-height letter-spacing
  word-spacing white-space overflow-wrap word-break text-align text-indent text-transform
  text-underline-offset direction visibility list-style-type border-collapse border-spacing
  writing-mode`);
/** What a drawing takes from style sheets. */
const DRAWN = named(`
  fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-dasharray stroke-linecap
  stroke-linejoin paint-order text-anchor dominant-baseline`);
const DRAWN_TOO = ["opacity", "overflow-x", "overflow-y"];

/** @type {Map<string, string>} the initial values of OWN, asked of the browser once */
const initial = new Map();

function initialOf(name) {
  if (!initial.size && globalThis.document) {
    const bare = document.body.appendChild(document.createElement("span"));
    bare.style.all = "initial";
    for (const one of OWN) initial.set(one, getComputedStyle(bare).getPropertyValue(one));
    bare.remove();
  }
  return initial.get(name);
}

/** The sheet of one copy: equal styles share a class. */
export class Sheet {
  /** @type {Map<string, string>} */
  names = new Map();

  /** @param {string} rules */
  classOf(rules) {
    if (!rules) return null;
    const held = this.names.get(rules) ?? `p${this.names.size}`;
    this.names.set(rules, held);
    return held;
  }

  get text() {
    return [...this.names].map(([rules, name]) => `.${name}{${rules}}`).join("\n");
  }
}

/**
 * A value that names nothing outside the file.
 * @param {string} value
 */
export const isOwn = (value) => !/url\((?!["']?#)/i.test(value);

/**
 * The styles of an element as rules.
 * @param {(name: string) => string} style
 * @param {((name: string) => string) | null} parent
 * @param {boolean} drawn whether it is part of a drawing
 */
export function rulesOf(style, parent, drawn) {
  const kept = [];
  const keep = (name, value) => value && isOwn(value) && kept.push(`${name}:${value}`);
  if (!drawn || style("display") === "none") keep("display", style("display"));
  for (const name of [...INHERITED, ...(drawn ? DRAWN : [])]) {
    if (!parent || parent(name) !== style(name)) keep(name, style(name));
  }
  for (const name of drawn ? DRAWN_TOO : OWN) {
    const value = style(name);
    if (!value || value === initialOf(name)) continue;
    // what scrolls on the page stands still here
    if (name.startsWith("overflow")) keep(name, "hidden");
    else if (!/^(border|outline)/.test(name) || !/\bnone\b|(^|\s)0px\b/.test(value)) {
      keep(name, value);
    }
  }
  if (!drawn && style("display") !== "inline") {
    keep("width", style("width"));
    // a table is as high as its rows, and a row as its cells: the height that a browser names for a
    // table counts its caption, which would stretch the rows
    if (!/^(inline-)?table/.test(style("display"))) keep("height", style("height"));
  }
  return kept.join(";");
}

const reader = (element, pseudo = null) => {
  const style = getComputedStyle(element, pseudo);
  return (name) => style.getPropertyValue(name);
};

/** Only what a drawing is made of, and what a reader of the page hears. */
const isKept = (name, value, drawn) =>
  name.startsWith("aria-") || name === "role" || name === "dir" || name === "lang" ||
  (drawn && !name.startsWith("on") && name !== "class" && name !== "style" && name !== "tabindex" &&
    !/href$/.test(name) && !name.startsWith("data-") && isOwn(value));

/** A canvas becomes an image, a menu its choice, a box a sign. */
function standIn(element) {
  if (element.tagName === "CANVAS") {
    return el("img", { alt: element.getAttribute("aria-label") ?? "", src: element.toDataURL() });
  }
  if (element.tagName === "SELECT") return el("span", element.selectedOptions[0]?.text);
  if (element.tagName === "INPUT") return el("span", element.checked ? "●" : "○");
  return null;
}

/** What a style sheet puts before or after an element. */
function generated(element, pseudo, sheet, parent) {
  const style = reader(element, pseudo);
  const said = /^"((?:[^"\\]|\\.)*)"$/.exec(style("content"));
  return said && el("span", { class: sheet.classOf(rulesOf(style, parent, false)) ?? "" }, said[1]);
}

/**
 * The copy of an element; null for what is left out.
 * @param {any} element
 * @param {Sheet} sheet
 * @param {((name: string) => string) | null} [parent]
 * @returns {Element | null}
 */
export function copyLook(element, sheet, parent = null) {
  const drawn = element.namespaceURI === SVG;
  if (element.matches(LEFT_OUT)) return null;
  const style = reader(element);
  if (style("display") === "none") return null;
  const stand = drawn ? null : standIn(element);
  const node = stand ?? (drawn ? document.createElementNS(SVG, element.tagName) : el("span"));
  for (const { name, value } of element.attributes) {
    if (isKept(name, value, drawn)) node.setAttribute(name, value);
  }
  const hidden = element.matches(CONTROLS) ? ";visibility:hidden" : "";
  // the outermost drawing is laid out like a box
  const rules = rulesOf(style, parent, drawn && element.tagName !== "svg") +
    (drawn && element.tagName === "svg" ? drawing(style) : "");
  const held = sheet.classOf(rules + hidden);
  if (held) node.setAttribute("class", held);
  if (!stand) fill(node, element, sheet, style, drawn);
  return node;
}

const drawing = (style) => `;${DRAWN.map((name) => `${name}:${style(name)}`).join(";")}`;

function fill(node, element, sheet, style, drawn) {
  const before = drawn ? null : generated(element, "::before", sheet, style);
  const after = drawn ? null : generated(element, "::after", sheet, style);
  const inside = scrolled(element, drawn) ?? node;
  if (inside !== node) node.append(inside);
  if (before) inside.append(before);
  for (const child of element.childNodes) {
    if (child.nodeType === 3) inside.append(document.createTextNode(child.data));
    const copy = child.nodeType === 1 ? copyLook(child, sheet, style) : null;
    if (copy) inside.append(copy);
  }
  if (after) inside.append(after);
}

/** What was scrolled stays so: its content stands in a box that is moved. */
function scrolled(element, drawn) {
  if (drawn || (!element.scrollTop && !element.scrollLeft)) return null;
  const transform = `translate(${-element.scrollLeft}px,${-element.scrollTop}px)`;
  return el("span", { style: { display: "block", transform } });
}
