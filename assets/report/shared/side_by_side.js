// One or two readings of one text on one screen: bars over the text, what moved, and the best spans.

import { el, headRow, row } from "./dom.js";
import { mirrored } from "./mirrored.js";
import { cut, moved } from "./moved.js";
import { fixed, probability, signed } from "./numbers.js";

/** The answer, its lead, its window and its best spans. */
function facts(text, reading) {
  const { name, n, answer, score_diff, limit, windows, rests } = reading;
  const lead = score_diff === null ? "" : `no answer minus best: ${fixed(score_diff)}`;
  const said = [
    answer === null ? "no answer" : `answer: ${answer}`,
    lead && limit !== null ? `${lead}, limit ${fixed(limit)}` : lead,
    n.length && windows !== null && windows > 1 ? `window ${n[0][3] + 1} of ${windows}` : "",
    reading.null
      ? `[CLS] ${reading.null.map((p) => probability(p, 2)).join(" as start, ")} as end`
      : "",
  ];
  return el(
    "div.one-reading",
    el("h4", el("bdi", name)),
    el("p[dir=auto]", said.filter(Boolean).join("; ")),
    rests.length > 0 &&
      el(
        "p[dir=auto]",
        `Its score rests most on: ${rests.map(([word, x]) => `${word} ${signed(x)}`).join(", ")}.`,
      ),
    el(
      "table",
      el("caption", "Best spans"),
      headRow(["span", "score"]),
      el(
        "tbody",
        n.map((span) =>
          row(el("th[scope=row][dir=auto]", cut(text, span)), [el("td.number", fixed(span[2]))])
        ),
      ),
    ),
  );
}

/**
 * @param {string} text
 * @param {number[][]} gold half-open ranges of right answers
 * @param {import("./mirrored.js").Shown[]} readings one or two
 */
export function sideBySide(text, gold, readings) {
  const [a, b] = readings;
  return el(
    "div.side-by-side",
    mirrored(text, gold, readings),
    b && el("h4", "What moved"),
    b && el("ul", moved(text, a, b).map((one) => el("li[dir=auto]", one))),
    el("div.readings", readings.map((one) => facts(text, one))),
  );
}
