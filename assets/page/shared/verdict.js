// The answer line above all chapters: what the reader answers or why it withholds, how sure, and
// where it stands. Python says it anew with every record, so every slider moves it.

import { el, glued, put } from "./dom.js";
import { hear, select, state } from "./store.js";

/** Select the words and bring them into sight, wherever the open chapter marks them. */
function go([window, start, end]) {
  select({ window, start, end });
  requestAnimationFrame(() => {
    const panel = document.getElementById(`panel-${state.chapter}`);
    const marks = [...panel?.querySelectorAll(".mark-selected") ?? []];
    const mark = marks.find((m) => !m.closest(".key"));
    (mark ?? panel?.querySelector(".stage"))?.scrollIntoView({ block: "nearest" });
  });
}

function words({ answered, text, why, span }) {
  const lead = el("span.lead", answered ? "Answer:" : text ? "No answer." : "No answer:");
  if (!text) return [lead, el("span", `${why}.`)];
  const button = el(
    "button.go",
    { title: "show it in the text", onclick: () => go(span) },
    el("bdi", text),
  );
  return answered ? [lead, button] : [lead, el("span", "Its best guess, “", button, `”, ${why}.`)];
}

const spaced = (/** @type {any[]} */ nodes) => nodes.flatMap((node, k) => k ? [" ", node] : [node]);

/** How sure the reader is; of a guess that is withheld it says so. */
const claim = ({ of, value, name }) => [of && `${of} `, el("strong", glued(value)), ` ${name}`];

export function updateVerdict(root) {
  if (root.firstChild) return;
  const line = el("p.verdict[role=status]");
  root.append(el("section", { "aria-label": "What the reader answers" }, line));
  let shown = "";
  const show = () => {
    const said = state.record?.verdict;
    // a record comes with every selection: only what is new is written, and read out
    if (!said || JSON.stringify(said) === shown) return;
    shown = JSON.stringify(said);
    line.classList.toggle("withheld", !said.answered);
    const { sure, place } = said;
    put(
      line,
      spaced(words(said)),
      " ",
      sure && el("span.aside", claim(sure)),
      " ",
      place && said.answered && el("span.aside.where", place),
    );
  };
  hear("selection", show);
  show();
}
