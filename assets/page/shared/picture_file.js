// A picture as a file of its own: an SVG with its title, its formula, and the line that says where
// it comes from.

const XML_CANNOT = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
/** The margin; what stands out of a picture's side may reach into it. */
export const EDGE = 24;
const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/**
 * Text as XML holds it.
 * @param {string} text
 */
export const xml = (text) =>
  text.replaceAll(XML_CANNOT, "\ufffd").replaceAll(/[&<>"]/g, (c) => ESCAPED[c]);

/**
 * @typedef {{text: string, size?: number, dy?: number, fill?: string, weight?: string}} Run a piece of
 *   a line: its size as a share of the line's, and how far it is lowered, in ems
 */

/**
 * Runs broken into lines of at most `width`; a word that is longer stands on its own.
 * @param {Run[]} runs
 * @param {number} width
 * @param {(run: Run) => number} measure
 * @returns {Run[][]}
 */
export function wrapped(runs, width, measure) {
  /** @type {Run[][]} */
  const lines = [[]];
  let used = 0;
  for (const run of runs) {
    for (const text of run.text.split(/(?<=\s)(?=\S)/)) {
      const piece = { ...run, text };
      const wide = measure(piece);
      if (used && used + wide > width && !run.dy) {
        lines.push([]);
        used = 0;
      }
      lines[lines.length - 1].push(piece);
      used += wide;
    }
  }
  return lines;
}

/**
 * @param {Run} run
 * @param {number} moved how far it is lowered from the piece before, in pixels
 */
function tspan({ text, size, fill, weight }, moved) {
  const said = [
    size ? ` font-size="${size}em"` : "",
    moved ? ` dy="${moved}"` : "",
    fill ? ` fill="${xml(fill)}"` : "",
    weight ? ` font-weight="${xml(weight)}"` : "",
  ].join("");
  return `<tspan${said}>${xml(text)}</tspan>`;
}

/**
 * Lines of text from y on.
 * @param {Run[][]} lines
 * @param {{y: number, size: number, fill: string, family: string, weight?: string, name: string}} how
 */
export function textBlock(lines, { y, size, fill, family, weight = "400", name }) {
  const rows = lines.map((line, k) => {
    let low = 0;
    const pieces = line.map((run) => {
      const before = low;
      low = Math.round(10 * size * (run.dy ?? 0)) / 10;
      return tspan(run, low - before);
    });
    const at = y + size + k * size * 1.4;
    return `<text class="${name}" x="${EDGE}" y="${at}" font-size="${size}" font-weight="${weight}" ` +
      `font-family="${xml(family)}" fill="${xml(fill)}" xml:space="preserve">${
        pieces.join("")
      }</text>`;
  });
  return { markup: rows.join("\n"), bottom: y + lines.length * size * 1.4 };
}

/**
 * @typedef {{title: string, formula: Run[], source: string, width: number, height: number,
 *   top?: number, markup: string, css: string, ink: string, quiet: string, paper: string,
 *   sans: string, serif: string}} Content `markup` is the picture, from `top` on `height` high
 */

/**
 * The file.
 * @param {Content} content
 * @param {(run: Run, font: string) => number} measure
 * @returns {{svg: string, width: number, height: number}}
 */
export function pictureFile(content, measure) {
  const { width, ink, quiet, paper, sans, serif } = content;
  const block = (runs, y, size, how) =>
    textBlock(
      wrapped(
        runs,
        width,
        (run) => measure(run, `${how.weight ?? 400} ${size * (run.size ?? 1)}px ${how.family}`),
      ),
      { y, size, ...how },
    );
  const title = block([{ text: content.title }], EDGE, 20, {
    fill: ink,
    family: serif,
    weight: "600",
    name: "title",
  });
  const formula = content.formula.length
    ? block(content.formula, title.bottom + 6, 16, { fill: ink, family: sans, name: "formula" })
    : { markup: "", bottom: title.bottom };
  const at = Math.ceil(formula.bottom + 16);
  const source = block([{ text: content.source }], at + content.height + 16, 12, {
    fill: quiet,
    family: sans,
    name: "source",
  });
  const whole = { width: width + 2 * EDGE, height: Math.ceil(source.bottom + EDGE) };
  const top = content.top ?? 0;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${whole.width}" height="${whole.height}" ` +
    `viewBox="0 0 ${whole.width} ${whole.height}" role="img">
<title>${xml(content.title)}</title>
<desc>${xml(content.source)}</desc>
<style>${xml(content.css)}</style>
<rect width="100%" height="100%" fill="${xml(paper)}"/>
${title.markup}
${formula.markup}
<svg y="${at}" width="${whole.width}" height="${content.height}" viewBox="${-EDGE} ${top} ${whole.width} ${content.height}">
${content.markup}
</svg>
${source.markup}
</svg>
`;
  return { svg, ...whole };
}
