// Curves: how sure and how often right, and what every threshold would do.

import { el, svg } from "../page/shared/dom.js";
import { fixed, place } from "../page/shared/numbers.js";
import { axes, many, path } from "./charts.js";
import { data, note, section } from "./data.js";

const two = (x) => fixed(x, 2);

const CHANCE = {
  claim: "The chance that the best span is exactly right, whatever the text holds,",
  right_if_answerable: "The calibrated chance that the best span is right if the text answers,",
  in_window: "P(start) P(end) of the best span in its window, which no fit has corrected,",
};

export function calibrated() {
  const found = data.calibration;
  if (!found) return;
  section(
    "How sure, and how often right",
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
        svg("line", [x(0), y(0), x(1), y(1)], { class: "true" }),
        ...found.bins.map((bin) =>
          svg(
            "circle",
            [place(x(bin.mean_prob)), place(y(bin.accuracy)), place(3 + Math.sqrt(bin.count) / 2)],
            { class: "dot" },
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
    note("A larger dot is more questions; on the line a probability is true."),
  );
}

export function thresholds() {
  const found = data.thresholds;
  if (!found) return;
  const at = found.points.map((point) => point.threshold);
  const lines = [["accuracy", "answering or not is right", "first"], [
    "answerable_f1",
    "F1 where there is an answer",
    "dotted",
  ]];
  const all = found.used === null ? at : [...at, found.used];
  section(
    "The no-answer threshold",
    el(
      "p",
      "What every threshold would do on these questions. Moving it right withholds less. ",
      "Solid: answering or not is the right choice. Dotted: F1 where there is an answer.",
    ),
    axes(
      "Accuracy and F1 by threshold",
      {
        domain: [Math.min(...all), Math.max(...all) + 1e-9],
        title: "threshold on score_diff = null - best",
      },
      { domain: [0, 100], title: "percent" },
      (x, y) => [
        ...lines.map(([key, name, look]) =>
          svg(
            "path",
            path(found.points.map((point) => [x(point.threshold), y(point[key])])),
            { class: `curve ${look}` },
            svg("title", name),
          )
        ),
        ...(found.used === null ? [] : [
          svg("line", [x(found.used), 12, x(found.used), 256], { class: "used" }),
        ]),
      ],
    ),
    ...(found.used === null
      ? []
      : [note(`The dashed line is the one in use, ${two(found.used)}.`)]),
  );
}
