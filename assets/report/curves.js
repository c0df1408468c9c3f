// Curves: how sure and how often right, and what every threshold would do.

import { through } from "./shared/axes.js";
import { el, svg } from "./shared/dom.js";
import { fixed, place } from "./shared/numbers.js";
import { axes, many } from "./charts.js";
import { data, note, section } from "./data.js";

const two = (x) => fixed(x, 2);

const CHANCE = {
  claim: "The chance that the best span is exactly right, whatever the text holds,",
  right_if_answerable: "The calibrated chance that the best span is right if the text answers,",
  in_window: "P(start) P(end) of the best span in its window, which no fit has corrected,",
};

/** A section with a picture of each reader that has one. */
function ofReaders(title, says, each, picture) {
  const made = each.map((found, k) =>
    found && [data.pair && el("h3", data.names[k]), picture(found)]
  );
  if (made.some(Boolean)) section(title, el("p", says), made);
}

export function calibrated() {
  const says = "On the line a probability is true; a larger dot is more questions.";
  ofReaders("How sure, and how often right", says, data.calibration, (found) => [
    el(
      "p",
      `${CHANCE[found.of]} against how often it is exactly right. `,
      found.fitted ? "" : "python -m qa_demo calibrate fits one. ",
      `Mean distance of the two, weighted by questions: ${fixed(found.error, 3)} `,
      `(${many(found.questions, "question")}${found.of === "claim" ? "" : " with an answer"}).`,
    ),
    axes(
      "Share exactly right by probability",
      { domain: [0, 1], title: "probability" },
      { domain: [0, 1], title: "exactly right" },
      (x, y) => [
        svg("line.true", [x(0), y(0), x(1), y(1)]),
        ...found.bins.map((bin) =>
          svg(
            "circle.dot",
            // no dot is so large that it covers the numbers of the axis
            [x(bin.mean_prob), y(bin.accuracy), 2 + 8 * Math.sqrt(bin.count / found.questions)]
              .map(place),
            svg(
              "title",
              `${two(bin.mean_prob)} said, ${two(bin.accuracy)} right, ${
                many(bin.count, "question")
              }`,
            ),
          )
        ),
      ],
    ),
  ]);
}

const LINES = [
  ["accuracy", "answering or not is right", "first"],
  ["answerable_f1", "F1 where there is an answer", "dotted"],
];

export function thresholds() {
  const says =
    "What every threshold would do on these questions. Moving it right withholds less. " +
    "Solid: answering or not is the right choice. Dotted: F1 where there is an answer.";
  ofReaders("The no-answer threshold", says, data.thresholds, (found) => [
    axes(
      "Accuracy and F1 by threshold",
      {
        domain: scaleOf(found),
        title: "threshold on score_diff = null - best",
      },
      { domain: [0, 100], title: "percent" },
      (x, y) => [
        ...LINES.map(([key, name, look]) =>
          svg(
            `path.curve.${look}`,
            through(found.points.map((point) => [x(point.threshold), y(point[key])])),
            svg("title", name),
          )
        ),
        found.used !== null && svg("line.used", [x(found.used), 12, x(found.used), 256]),
      ],
    ),
    found.used !== null && note(`The dashed line is the one in use, ${two(found.used)}.`),
  ]);
}

/** From the least threshold to the largest, the one in use among them. @returns {[number, number]} */
function scaleOf({ points, used }) {
  const all = [...points.map(({ threshold }) => threshold), ...(used === null ? [] : [used])];
  return [Math.min(...all), Math.max(...all) + 1e-9];
}
