// Step 2, label: the paragraph on which the right answer is marked, and the labelling strip:
// characters, word pieces, one row a window.

import { el, fold, row } from "../shared/dom.js";
import { head as measured, SIDES } from "./math.js";
import { fixed, means } from "../shared/numbers.js";
import { overlayReading, paragraph } from "../shared/prose.js";

const MOST_ROWS = 6;

export function draw(root, picture, page, held) {
  held.text = paragraph(
    page,
    "Paragraph: arrow keys move by word, Shift extends, Enter selects, M marks the selection " +
      "as right",
    () => true,
  );
  held.text.box.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "m" || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    markSelection(page);
  });
  held.mark = el("button.act.filled", { onclick: () => markSelection(page) });
  const act = (text, name, value = true, more = {}) =>
    el("button.act", { onclick: () => page.input(name, value), ...more }, text);
  const silent = (text, id, count) =>
    act(text, "silent", count, {
      id: `loss-silent-${id}`,
      disabled: count > picture.mostSilent,
    });
  const { source } = picture;
  root.replaceChildren(
    el("p.says.veil-part", picture.says),
    el("div.text-box", held.text.box),
    el(
      "div.acts",
      held.mark,
      act("no answer is right", "no answer"),
      picture.golds.length && source !== "reader"
        ? [
          silent("one annotator more: no answer", "more", picture.silent + 1),
          picture.silent ? silent("one less", "less", picture.silent - 1) : null,
        ]
        : null,
      source === "marked" ? act("take your marks away", "annotators") : null,
    ),
    stripFold(picture, page, held),
  );
  select(root, picture, page, held);
}

export function select(_root, picture, page, held) {
  const { selection, reading: { tokens } } = page;
  held.picture = picture;
  const golds = picture.golds.map((g) => ({
    start: tokens[g.start].start,
    end: tokens[g.end].end,
  }));
  overlayReading(held.text, page, golds);
  const on = chosenMark(picture, selection);
  held.mark.disabled = !selection;
  held.mark.textContent = on && picture.source === "marked"
    ? "take this mark away"
    : "mark the selection as right";
}

const chosenMark = (picture, chosen) =>
  chosen && picture.golds.some((g) => g.start === chosen.start && g.end === chosen.end);

function markSelection(page) {
  const chosen = page.selection;
  if (chosen) page.input("mark", [chosen.start, chosen.end]);
}

const stripFold = (picture, page, held) =>
  fold("the label as rows of zeros and ones", strip(picture, page), {
    class: "fold veil-part",
    open: held.open !== false,
    ontoggle: ({ currentTarget }) => {
      held.open = currentTarget.open;
    },
  });

// The strip ---------------------------------------------------------------------------------------

function strip(picture, page) {
  const { reading } = page;
  const cut = picture.strip;
  const { tokens, windows, context } = reading;
  const docs = cut ? Array.from({ length: cut.stop - cut.first }, (_, k) => cut.first + k) : [];
  const chosen = rowsShown(cut, reading);
  const cell = (content, kind = "") => el("td", { class: kind }, content);
  const lane = (kind, text) =>
    docs.map((d) => cell(text(d), d >= cut.start && d <= cut.end ? `${kind} is-gold` : kind));
  const chars = lane("chars", (d) => context.slice(tokens[d].start, tokens[d].end));
  const pieces = lane("piece", (d) => tokens[d].text);
  const rows = chosen.flatMap((k) =>
    SIDES.map((side) => labelRow(picture, windows[k], side, docs, cell, windows.length))
  );
  const rest = windows.length - chosen.length;
  const caption = cut
    ? `The label as rows: ${cut.chars}; the rows sum to 1`
    : `The label as rows: no answer, so ${picture.null} is the target of every window`;
  return el(
    "div.table-box.strip[tabindex=0][role=region]",
    { "aria-label": "Labelling strip" },
    el(
      "table",
      el("caption", caption),
      el(
        "thead",
        cut ? row("characters", ["–", chars, ""]) : null,
        row("word pieces", [cell(picture.null, "piece"), pieces, "Σ y log P"]),
        cut ? row("index in the paragraph", ["–", docs, ""], "role-quiet") : null,
      ),
      el("tbody", rows),
    ),
    rest > 0 ? el("p.role-quiet", `… ${rest} more windows, in the table below`) : null,
  );
}

function rowsShown(cut, reading) {
  const meets = (w) => Number(Boolean(cut) && w.docStart <= cut.end && w.docStop > cut.start);
  return reading.windows.toSorted((a, b) => meets(b) - meets(a)).slice(0, MOST_ROWS / 2)
    .map((w) => w.index).sort((a, b) => a - b);
}

function labelRow(picture, w, side, docs, cell, count) {
  const { [side]: sparse, holds } = picture.windows[w.index];
  const losses = SIDES.map((name) => measured(w[name], picture.windows[w.index][name]).loss);
  const { digits } = means(losses);
  const weight = new Map(sparse);
  const mark = (pos) => {
    const share = weight.get(pos);
    if (!share) return cell("0", "zero");
    return cell(share === 1 ? "1" : fixed(share), `lit ${side}`);
  };
  const name = count > 1 ? `window ${w.index + 1} ${side}` : side;
  const head = el(
    "th[scope=row]",
    { title: holds },
    el(`span.role-${side}`, name),
    side === "start" && count > 1 ? el("span.role-quiet", ` holds ${holds}`) : null,
  );
  return row(head, [
    mark(w.clsAt),
    docs.map((d) => (w.holds(d) ? mark(w.pos(d)) : cell("", "absent"))),
    cell(fixed(-losses[SIDES.indexOf(side)], digits), "tabular"),
  ]);
}
