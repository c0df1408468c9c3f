// The parts of the strip: what they say is given, and what a press does.

import { el, glued } from "../shared/dom.js";
import { emphasised } from "../shared/emphasis.js";
import { button } from "./guess_forms.js";

/**
 * @param {string} title
 * @param {string} above
 * @param {() => void} leave
 */
export function head(title, above, leave) {
  return el(
    "div.strip-head",
    el("p.strip-above", above),
    el("button.plain.strip-leave", { onclick: leave, "aria-label": "Leave the lessons" }, "leave"),
    el("h2.strip-title[tabindex=-1]", title),
  );
}

/**
 * What stands between the lesson and its point: another text, one's own, or a reader that does not
 * show it.
 * @param {{holds: boolean, foreign: boolean, reader: string, missing: string}} reply
 * @param {() => void} restore
 * @param {boolean} own
 */
export function note({ holds, foreign, reader, missing }, restore, own) {
  if (holds && !foreign) return null;
  return el(
    "div.strip-note[role=status]",
    foreign ? el("p", "Another text than the lesson's stands on the page.") : null,
    holds ? null : el(
      "p",
      foreign || own
        ? "This step does not hold with this text. "
        : `The reader in use, ${reader}, does not show the point of this step. `,
      missing,
    ),
    button(foreign || own ? "Read the lesson’s text here" : "Use the bundled reader", restore),
  );
}

/** The options once more, with what was chosen and what is right. */
export function chosen(options, right, guess) {
  if (!options.length) return null;
  const marks = (key) =>
    [key === right ? "right" : "", key === guess ? "your choice" : ""].filter(Boolean).join(", ");
  return el(
    "ul.strip-chosen",
    options.map(([key, text]) =>
      el(
        "li",
        { class: key === right ? "is-right" : null },
        el("bdi", text),
        marks(key) ? el("span.role-quiet", ` (${marks(key)})`) : null,
      )
    ),
  );
}

/** The two sentences on a guess, and the author's reveal. */
export function feedback({ right, yours, decides, reveal }) {
  return el(
    "div[tabindex=-1][role=status]",
    { class: `strip-feedback${right ? " right" : ""}` },
    yours ? el("p.strip-yours", yours) : null,
    decides ? el("p.strip-decides", glued(decides)) : null,
    reveal ? el("p.strip-reveal", emphasised(reveal)) : null,
  );
}

/** What a finished lesson has corrected. */
export const farewell = (wrong) => [
  el("p.strip-text", "One often reads: ", el("q", wrong)),
  el("p.strip-text", "You have just seen why that does not hold."),
];

const begun = (/** @type {number | undefined} */ at, /** @type {number} */ count) =>
  at !== undefined && at > 0 && at < count;

/**
 * The lessons, numbered through; those of a track of its own stand below its heading.
 * @param {{id: string, title: string, minutes: number, track: string, steps: any[]}[]} lessons
 * @param {Set<string>} done
 * @param {Record<string, number>} places the step last seen of each that was begun
 * @param {(id: string, step: number) => void} open
 */
export function lessonList(lessons, done, places, open) {
  return el(
    "ol.lesson-list",
    lessons.map(({ id, title, minutes, track, steps }, k) =>
      el(
        "li",
        track && track !== lessons[k - 1]?.track ? el("p.lesson-track", el("bdi", track)) : null,
        el(
          "button.strip-button.lesson",
          { dataset: { lesson: id }, onclick: () => open(id, 0) },
          el("span", title),
          el("span.role-quiet", `${minutes} min${done.has(id) ? ", done" : ""}`),
        ),
        begun(places[id], steps.length)
          ? el(
            "button.plain.go-on",
            { dataset: { goOn: id }, onclick: () => open(id, places[id]) },
            `go on at step ${places[id] + 1}`,
          )
          : null,
      )
    ),
  );
}
