// On a narrow screen: one lollipop per start on the wrapped text (its best legal score); a tap
// unfolds its ends, a second tap chooses one.

import { el, press, pressed, roving } from "../shared/dom.js";
import { sums } from "../shared/numbers.js";

const TALL = 1.3; // em

export function drawPhone(root, cells, picture, page, tell) {
  const { tokens, context } = page.reading;
  const starts = [...cells.owned.keys()].filter((i) => cells.owned[i]);
  const bests = starts.map((i) => cells.score(i, cells.bestEnd(i))).sort((a, b) => a - b);
  const [low, high] = [bests[Math.floor(bests.length / 2)], bests.at(-1)];
  /** @type {any} */
  const view = { pieces: [], open: null, cells, picture, page, tell };
  const text = el("p.spans-phone[dir=auto][role=group]", {
    "aria-label": "Starts of the paragraph: each opens its ends",
  });
  for (let i = cells.first; i < cells.stop; i += 1) {
    const token = tokens[cells.doc(i)];
    if (i > cells.first) {
      text.append(
        el(
          "span.gap",
          { dataset: { after: i - 1 } },
          context.slice(tokens[cells.doc(i - 1)].end, token.start),
        ),
      );
    }
    const best = cells.bestEnd(i);
    const up = best < 0 || high <= low ? 0 : (cells.score(i, best) - low) / (high - low);
    const piece = el(
      "span[role=button]",
      {
        class: best < 0 ? "piece not-owned" : "piece",
        dataset: { pos: i },
        "aria-pressed": "false",
        ...pressed(() => tap(view, i)),
      },
      up > 0.02 ? el("i.stem.up[aria-hidden=true]", { style: { height: `${up * TALL}em` } }) : null,
      context.slice(token.start, token.end),
      el("i.stem.low[aria-hidden=true]", { style: { height: "0" } }),
    );
    view.pieces.push(piece);
    text.append(piece);
  }
  roving(text, ".piece");
  view.text = text;
  view.box = el("div.text-box.spans-phone-box", text);
  const before = root.querySelector(".spans-phone-box");
  const [at, kept] = [before?.scrollTop ?? 0, before?.textContent === view.box.textContent];
  root.replaceChildren(view.box);
  if (kept) {
    view.box.scrollTop = at;
    view.box.dataset.place = before.dataset.place;
  }
  return view;
}

/** What may lie over the lower edge of the screen: the offer of the first lesson. */
const COVERED = 60;

/** Bring a span into sight once, when its place is new: a text of a window is longer than a screen. */
function reveal(view, span) {
  const place = span?.join(" ");
  if (!span || place === view.box.dataset.place || !view.box.clientHeight) return;
  view.box.dataset.place = place;
  if (document.body.matches(".veiled, .covering")) return;
  const [inner, outer] = [view.pieces[span[0] - view.cells.first], view.box].map((node) =>
    node.getBoundingClientRect()
  );
  const lowest = Math.min(outer.bottom, Math.max(outer.top, innerHeight - COVERED));
  if (inner.top < outer.top || inner.bottom > lowest) {
    view.box.scrollTop += inner.top - outer.top - view.box.clientHeight / 3;
  }
}

function tap(view, i) {
  const { cells, page } = view;
  if (view.open !== null && i >= view.open && i <= cells.lastEnd(view.open)) {
    page.select({ window: cells.index, start: cells.doc(view.open), end: cells.doc(i) });
    view.open = null;
  } else if (cells.owned[i]) {
    view.open = i;
  } else {
    view.tell(i, i);
    return;
  }
  unfold(view);
}

function unfold(view) {
  const { cells, open } = view;
  view.text.classList.toggle("unfolded", open !== null);
  view.pieces.forEach((piece, k) => {
    const j = k + cells.first;
    const end = open !== null && j >= open && j <= cells.lastEnd(open);
    piece.classList.toggle("end-choice", end);
    piece.classList.toggle("open", j === open);
    piece.querySelector(".low").style.height = end
      ? `${Math.max(0.08, cells.weight(cells.score(open, j)) * TALL)}em`
      : "0";
    if (end) {
      piece.setAttribute(
        "aria-label",
        `${piece.textContent}: end it here, score ${sums([cells.s[open], cells.e[j]]).total}`,
      );
    } else piece.removeAttribute("aria-label");
  });
  if (open !== null) view.tell(open, cells.bestEnd(open));
}

export function movePhone(view, picture, chosen) {
  const { cells } = view;
  const cover = (node, first, last, span, name) => {
    const on = Boolean(span) && first >= span[0] && last <= span[1];
    node.classList.toggle(name, on);
    node.classList.toggle(`${name}-first`, on && first === span[0] && first === last);
    node.classList.toggle(`${name}-last`, on && last === span[1] && first === last);
  };
  for (const node of view.text.children) {
    const at = Number(node.dataset.pos ?? node.dataset.after);
    const last = node.dataset.pos === undefined ? at + 1 : at;
    cover(node, at, last, chosen, "chosen");
    cover(node, at, last, picture.winner, "winner");
    if (node.dataset.pos !== undefined) {
      press(node, Boolean(chosen) && at >= chosen[0] && at <= chosen[1]);
    }
  }
  if (chosen && view.open === null) {
    view.pieces[chosen[0] - cells.first]?.setAttribute("tabindex", "0");
    reveal(view, chosen);
  }
}
