// Paper: whatever is open, on one page, light, drawn at the width of a screen and made smaller as a
// whole, so that it looks as it does there, whatever screen it is printed from.

/** What margins leave of A4 and of US letter, in CSS pixels. */
const PAPER = { width: 700, height: 955 };
/** Widths at which a chapter is tried; the wider one is lower. */
const WIDTHS = [1000, 1280];
/** Smaller could not be read: a longer text goes on on another page. */
const LEAST = 0.4;

let printing = false;

/** Whether the page is being laid out for paper. */
export const onPaper = () => printing;

/**
 * How much smaller than on a screen a part of this size must be, and at most by LEAST.
 * @param {number} width
 * @param {number} height
 */
export const fitting = (width, height) =>
  Math.max(LEAST, Math.min(PAPER.width / width, PAPER.height / height));

/**
 * What a condition of a style sheet says on paper: what holds for print holds, what holds for a
 * narrow screen does not, whatever the screen is.
 * @param {string} text
 */
export function paperMedia(text) {
  if (/\bprint\b/.test(text)) return "all";
  if (/\bscreen\b|max-width/.test(text)) return "not all";
  return /min-width/.test(text) ? "all" : text;
}

/** The rules in conditions, also those inside others. */
function conditions(rules) {
  return [...rules].flatMap((rule) => [
    ...(rule instanceof CSSMediaRule ? [rule] : []),
    ...("cssRules" in rule ? conditions(rule.cssRules) : []),
  ]);
}

/** A sheet's rules; those of another origin, and of a page opened from a folder, may not be read. */
export function rulesOf(sheet) {
  try {
    return sheet.cssRules;
  } catch (fault) {
    if (fault instanceof DOMException && fault.name === "SecurityError") return [];
    throw fault;
  }
}

/** Let the page be laid out as on paper while it still stands on a screen; gives the way back. */
function asPrinted() {
  const changed = [...document.styleSheets, ...document.adoptedStyleSheets]
    .flatMap((sheet) => conditions(rulesOf(sheet)))
    .map((rule) => ({ media: rule.media, before: rule.media.mediaText }))
    .filter(({ before }) => paperMedia(before) !== before);
  changed.forEach(({ media, before }) => (media.mediaText = paperMedia(before)));
  return () => changed.forEach(({ media, before }) => (media.mediaText = before));
}

/** Draw at the width that leaves the picture largest on the page. */
function fit(main, draw) {
  const sizes = WIDTHS.map((width) => {
    main.style.width = `${width}px`;
    draw();
    return { width, zoom: fitting(width, main.scrollHeight) };
  });
  const best = sizes.reduce((a, b) => (b.zoom > a.zoom ? b : a));
  if (main.style.width !== `${best.width}px`) {
    main.style.width = `${best.width}px`;
    draw();
  }
  main.style.zoom = String(best.zoom);
}

/**
 * Lay the page out for paper before it is printed, and for the screen again after it.
 * @param {() => void} draw draws what is open, now: the browser prints when this returns
 */
export function layOutForPaper(draw) {
  let back = () => {};
  const end = () => {
    back();
    back = () => {};
  };
  globalThis.addEventListener("beforeprint", () => {
    end();
    const main = document.querySelector(".gradio-container > .main");
    if (!(main instanceof HTMLElement) || document.querySelector(".worksheet")) return;
    const restore = asPrinted();
    const dark = document.body.classList.contains("dark");
    printing = true;
    document.body.classList.remove("dark");
    fit(main, draw);
    back = () => {
      printing = false;
      restore();
      document.body.classList.toggle("dark", dark);
      main.style.width = main.style.zoom = "";
      draw();
    };
  });
  globalThis.addEventListener("afterprint", end);
}
