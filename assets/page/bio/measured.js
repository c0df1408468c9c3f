// How well each head returns lists of answers, from figures measured once: two marks a file.

import { el, fold } from "../shared/dom.js";
import { fixed } from "../shared/numbers.js";

const TITLE = "lists of answers, measured";
const HEADS = ["start/end", "tags"];
/** @type {[string, string][]} */
const MEASURES = [["overlap", "overlap F1"], ["exact", "exact F1"]];

/** The fold of chapter 7's evidence. */
export function measuredLists({ lists }) {
  const id = "bio-lists";
  if (lists.none) return fold(TITLE, el("p", lists.none), { id });
  return fold(
    TITLE,
    el(
      "div.measured-lists",
      el("p", lists.what),
      el("ul.legend", HEADS.map((name, k) => el("li", mark(k), name))),
      el("div.measures", MEASURES.map(([key, name]) => measure(lists, key, name))),
      el("p", lists.said),
    ),
    { id },
  );
}

const mark = (k) => el("span", { class: `list-mark ${k ? "ink" : "hollow"}` });

const measure = ({ rows }, key, name) =>
  el(
    "section",
    { "aria-label": name },
    el("h3", name),
    rows.map((row) => line(row, row[key])),
    el("p.axis[aria-hidden=true]", [0, 50, 100].map((x) => el("span", x))),
  );

// The two figures stand as words at the right, so that no mark has to be measured by eye.
function line(row, [span, tags]) {
  const at = (x) => ({ style: { left: `${x}%` } });
  const [low, high] = span < tags ? [span, tags] : [tags, span];
  return el(
    "div",
    { class: `list-line${row.all ? " all" : ""}` },
    el("span", row.name, el("span.role-quiet", ` ${row.count}`)),
    el(
      "span.list-track[aria-hidden=true]",
      el("span.list-gap", { style: { left: `${low}%`, width: `${high - low}%` } }),
      el("span.list-mark.hollow", { ...at(span) }),
      el("span.list-mark.ink", { ...at(tags) }),
    ),
    el("span.tabular", `${fixed(span, 1)} and ${fixed(tags, 1)}`),
  );
}
