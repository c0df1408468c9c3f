// A tagging head of one's own: mark texts, train on the frozen encoder's hidden states, see this
// text tagged by it.

import { el, fold } from "../shared/dom.js";
import { fresh } from "../shared/address.js";

export function ownHead({ own, words, has, whose, annotators }, page, view) {
  const button = (id, text, run, more = {}) =>
    el("button.boxed.plain", { id: `bio-${id}`, onclick: run, ...more }, text);
  const parts = [
    el("p", words.own_why, "."),
    el("p.role-quiet", words.mark_how),
    el(
      "p.offers",
      button("own-add", words.own_add, () => page.input("marked", "add")),
      el("span.role-quiet", own.here ? words.own_added : annotators.named),
    ),
    own.marked.length ? el("ol.marked-texts", own.marked.map((q) => el("li", el("bdi", q)))) : null,
    el(
      "p.offers",
      button("own-train", words.own_train, () => page.input("train", true), {
        disabled: !own.marked.length,
      }),
      own.marked.length || own.head
        ? button("own-clear", words.own_clear, () => page.input("marked", "clear"))
        : null,
    ),
  ];
  if (own.head) {
    parts.push(
      el(
        "p.tabular",
        `trained on ${own.head.texts} ${
          own.head.texts === 1 ? "text" : "texts"
        }, ${own.head.tokens} tokens, ${own.head.steps} steps: mean loss ${own.head.first} ` +
          `→ ${own.head.last}`,
      ),
    );
    if (own.head.fits && !own.tagged) {
      parts.push(el("p", button("own-tag", words.own_tag, () => page.input("tag", true))));
    }
  }
  if (own.tagged && own.reader) {
    const choice = (value, text) =>
      el(
        "label",
        el("input", {
          type: "radio",
          name: "bio-whose",
          value,
          checked: whose === value,
          onchange: () => page.input("whose", value),
        }),
        text,
      );
    parts.push(
      el(
        "p.offers",
        { role: "group", "aria-label": words.own_use },
        el("span.role-quiet", words.own_use),
        choice("reader", words.own_reader),
        choice("own", words.own_mine),
      ),
    );
  }
  const box = el("div.own", parts);
  if (has) return fold(words.own, box, { id: "bio-own", open: view.open.has("bio-own") });
  return el(
    "section",
    el("p.offers", button("bundled", words.bundled, fresh)),
    el("h3", words.own),
    box,
  );
}
