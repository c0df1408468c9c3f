// Short names for texts that share words: each keeps its beginning and its end and loses its
// middle, and no two different texts get the same name.

/**
 * How wide a text of the page's serif is. @param {number} size in pixels
 * @returns {(text: string) => number}
 */
export function measurer(size) {
  const context = document.createElement("canvas").getContext("2d");
  if (!context) return (text) => text.length * size * 0.6;
  context.font = `${size}px ${
    getComputedStyle(document.body).getPropertyValue("--sl-serif").trim() || "serif"
  }`;
  return (text) => context.measureText(text).width;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** @param {string} text */
const signs = (text) => [...segmenter.segment(text)].map((s) => s.segment);

/**
 * A text with its middle left out: `head` signs of its beginning, `tail` of its end.
 * @param {string[]} text
 * @param {number} head
 * @param {number} tail
 */
const cut = (text, head, tail) =>
  `${text.slice(0, head).join("").trimEnd()}…${
    text.slice(text.length - tail).join("").trimStart()
  }`;

/**
 * The cuts between words that fit in `most` signs and fill half of them, the longest first.
 * @param {string[]} text
 * @param {number} most
 */
function between(text, most) {
  const gaps = [...text.keys()].filter((at) => !text[at].trim());
  return gaps.flatMap((head) =>
    gaps.filter((gap) => gap > head).map((gap) => [head, text.length - gap - 1])
  ).filter(([head, tail]) => head + tail < most && head + tail >= most / 2)
    .sort(([a, b], [c, d]) => c + d - a - b || Math.abs(a - b) - Math.abs(c - d));
}

/**
 * All ways to write a long text in at most `most` signs, the best first: whole words, then more of
 * the beginning, then more of the end, then a piece of the middle between both.
 * @param {string[]} text
 * @param {number} most
 */
function* ways(text, most) {
  for (const [head, tail] of between(text, most)) yield cut(text, head, tail);
  const room = most - 1;
  const even = Math.ceil(room / 2);
  for (let step = 0; step < room; step += 1) {
    const head = even + (step % 2 ? -1 : 1) * Math.ceil(step / 2);
    if (head >= 1 && room - head >= 0) yield cut(text, head, room - head);
  }
  const edge = Math.max(1, Math.floor((room - 1) / 3));
  const inner = Math.max(1, room - 1 - 2 * edge);
  for (let at = edge; at + inner <= text.length - edge; at += 1) {
    const middle = text.slice(at, at + inner).join("").trim();
    yield `${text.slice(0, edge).join("").trimEnd()}…${middle}…${
      text.slice(text.length - edge).join("").trimStart()
    }`;
  }
}

/**
 * A name of at most `most` signs for each text, in order. Equal texts have equal names, different
 * ones different names; where no cut tells two apart a number does.
 * @param {string[]} texts
 * @param {number} most at least 6
 */
export function apart(texts, most) {
  const room = Math.max(6, most);
  /** @type {Map<string, string>} */
  const names = new Map();
  const taken = new Set();
  const all = [...new Set(texts)].map((text) => ({ text, parts: signs(text) }));
  const name = (/** @type {string} */ text, /** @type {string} */ given) => {
    names.set(text, given);
    taken.add(given);
  };
  for (const { text, parts } of all) if (parts.length <= room) name(text, text);
  for (const { text, parts } of all.filter((one) => !names.has(one.text))) {
    const free = [...ways(parts, room)].find((way) => !taken.has(way));
    let count = 2;
    while (free === undefined && taken.has(numbered(parts, room, count))) count += 1;
    name(text, free ?? numbered(parts, room, count));
  }
  return texts.map((text) => names.get(text) ?? text);
}

/** @param {string[]} text @param {number} most @param {number} count */
function numbered(text, most, count) {
  const mark = ` (${count})`;
  return cut(text, Math.max(1, most - 1 - mark.length), 0) + mark;
}
