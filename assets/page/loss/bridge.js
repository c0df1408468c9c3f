// The bridge from the loss to chapter 4: -2 times the label's loss is the log of its pair's
// probability.

import { el, subs } from "../shared/dom.js";
import { addend } from "../shared/numbers.js";

/** A number printed as a bound needs no sign before it: "< 0.0001". */
const bound = (text) => /^[<>]/.test(text);

export function bridge(picture, page) {
  const { loss, inWindow, i, j } = picture.bridge;
  const w = page.reading.windows[picture.window];
  const gold = w.inside(i) ? { window: w.index, start: w.doc(i), end: w.doc(j) } : null;
  const [zs, ze, minus] = loss.addends;
  return el(
    "div.bridge",
    el(
      "p.tabular",
      el("strong", "The bridge "),
      subs(`for the label's pair (${i}, ${j}): 2 · its loss = log Z_s + log Z_e − score = `),
      `${zs} + ${ze}${addend(minus)} ${loss.sign} ${loss.total};  exp(−2 · loss) ${
        bound(inWindow) ? "" : "= "
      }`,
      el("strong", inWindow),
      ", which chapter 4 prints as its probability in the window at temperature 1. Both log " +
        "Z are the same for every pair of the window, so the pair with the highest score is " +
        "the most probable legal pair.",
    ),
    gold
      ? el("button.act", {
        onclick: () => {
          page.select(gold);
          document.getElementById("tab-spans")?.click();
        },
      }, "see the label's pair among all pairs (chapter 4)")
      : null,
  );
}
