// "as a picture": what a chapter shows, as seen, as a file of its own.

import { CONTROLS, copyLook, Sheet } from "./copy_look.js";
import { el, fold } from "./dom.js";
import { rulesOf } from "./paper.js";
import { EDGE, pictureFile } from "./picture_file.js";
import { state } from "./store.js";
import { download, takeButton } from "./take.js";
import { nameOf } from "./take_table.js";

const SHARP = 2;
/** The longest side of an image that every browser draws. */
const LONGEST = 16_000;
const SVG = "http://www.w3.org/2000/svg";

/** The pieces of a formula with their colours. */
function runsOf(formula) {
  if (!formula.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return [];
  return [...formula.querySelectorAll(".formula > *")].map((part) => {
    const style = getComputedStyle(part);
    const low = { SUB: 0.3, SUP: -0.4 }[part.tagName];
    return {
      text: part.textContent,
      fill: style.color,
      weight: style.fontWeight,
      ...(low ? { size: 0.75, dy: low } : {}),
    };
  });
}

/**
 * What of an element can be seen: its own box where it holds nothing more, or cuts what it holds.
 * @param {Element} node
 * @returns {DOMRect[]}
 */
function seen(node) {
  if (node.matches(CONTROLS) || !node.checkVisibility({ visibilityProperty: true })) return [];
  const cuts = getComputedStyle(node).overflowY !== "visible";
  const own = [node.getBoundingClientRect()];
  if (node.namespaceURI === SVG || cuts || !node.firstElementChild) return own;
  return [...(speaks(node) ? own : []), ...[...node.children].flatMap(seen)];
}

/** Whether words stand beside the elements that it holds: they may take more lines. */
const speaks = (node) => [...node.childNodes].some((one) => one instanceof Text && one.data.trim());

/** Where the picture begins and ends, without what can only be pressed. */
function extent(stage, box) {
  const boxes = [...stage.children].flatMap(seen).filter((at) => at.width && at.height);
  const top = Math.min(box.bottom, ...boxes.map((at) => at.top));
  const bottom = Math.max(box.top, ...boxes.map((at) => at.bottom));
  const [first, last] = bottom > top ? [top, bottom] : [box.top, box.bottom];
  return { top: Math.floor(first - box.top) - 6, height: Math.ceil(last - first) + 12 };
}

/** One drawing and nothing else is written as it is; all else lies in a foreign object. */
function markupOf(stage, sheet, box) {
  const own = [...stage.children].filter((node) => node.checkVisibility());
  const only = own.length === 1 && own[0].namespaceURI === SVG;
  const copy = copyLook(only ? own[0] : stage, sheet);
  copy?.setAttribute("style", "margin:0");
  const said = copy ? new XMLSerializer().serializeToString(copy) : "";
  const width = Math.ceil(box.width) + 2 * EDGE;
  return only
    ? said
    : `<foreignObject x="${-EDGE}" y="-100" width="${width}" height="${
      Math.ceil(box.height) + 200
    }">` +
      `<div xmlns="http://www.w3.org/1999/xhtml" style="padding:100px ${EDGE}px 0">${said}</div>` +
      "</foreignObject>";
}

/**
 * The fonts, with their files inside, so that a saved picture looks alike everywhere. A page that
 * was opened from a file may not read its own sheet: such a picture names them only.
 */
function faces() {
  const rules = [...document.styleSheets].flatMap((one) => [...rulesOf(one)]);
  const ours = rules.filter((rule) => rule instanceof CSSFontFaceRule);
  return ours.map((rule) => rule.cssText).join("\n");
}

const pen = () => el("canvas", { width: 1, height: 1 }).getContext("2d");

/**
 * What a chapter shows, as an SVG file.
 * @param {{picture: any, formula: any, question: any}} view
 */
export function take(view) {
  const sheet = new Sheet();
  const box = view.picture.getBoundingClientRect();
  const context = pen();
  const style = getComputedStyle(document.body);
  const colour = (name) => style.getPropertyValue(`--sl-${name}`).trim();
  const day = new Date().toISOString().slice(0, 10);
  const { question, reader } = state.reading ?? { question: "", reader: "" };
  return pictureFile({
    title: view.question.textContent,
    formula: runsOf(view.formula),
    source: `“${question}”, reader: ${reader}, Spanlight, ${day}`,
    width: Math.ceil(box.width),
    ...extent(view.picture, box),
    markup: markupOf(view.picture, sheet, box),
    get css() {
      return `${faces()}\n${sheet.text}`;
    },
    ink: colour("ink"),
    quiet: colour("quiet"),
    paper: colour("paper"),
    sans: colour("sans"),
    serif: colour("serif"),
  }, (run, font) => {
    context.font = font;
    return context.measureText(run.text).width;
  });
}

/**
 * The same as an image of points, twice as fine.
 * @param {{svg: string, width: number, height: number}} file
 * @returns {Promise<Blob>}
 */
async function drawn({ svg, width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = Math.min(SHARP, LONGEST / Math.max(width, height));
  const canvas = /** @type {HTMLCanvasElement} */ (el("canvas", {
    width: Math.round(width * scale),
    height: Math.round(height * scale),
  }));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, refuse) =>
    canvas.toBlob((blob) => blob ? done(blob) : refuse(new Error("empty")), "image/png")
  );
}

/**
 * The fold with the two buttons.
 * @param {any} view
 */
export function pictureFold(view) {
  const said = el("p.code-said[role=status]");
  const save = (ending, content, type) =>
    download(`${nameOf(view.key, "")}.${ending}`, [content], type);
  const asSvg = () => save("svg", take(view).svg, "image/svg+xml");
  const asPng = () =>
    drawn(take(view)).then(
      (content) => {
        said.textContent = "";
        save("png", content, "image/png");
      },
      () => {
        said.textContent =
          "This browser does not let a page turn such a picture into PNG; the SVG holds the same.";
      },
    );
  return fold("as a picture", [
    el(
      "p.table-tools",
      takeButton("SVG", "Save the picture as SVG", asSvg),
      takeButton("PNG", "Save the picture as PNG", asPng),
    ),
    said,
  ]);
}
