// The menu of readers: the page's own, those used in this browser, and a box for another one, each
// with what is known of it.

import { form, textBox } from "./controls.js";
import { el } from "./dom.js";
import { post } from "./outbox.js";
import { keepRecent, recent, withRecent } from "./recent.js";
import { hear, say, state } from "./store.js";

/** @type {any} */
const view = { root: null, trigger: null, own: "", offered: {}, about: new Map(), loading: null };

/** The name under which the reader in use was asked for. */
const inUse = () => state.record?.link?.reader?.[0] ?? null;

const typed = (name) =>
  /** @type {HTMLInputElement | null} */ (document.querySelector(
    `#ask-${name} textarea, #ask-${name} input`,
  ))?.value ?? "";

/** @param {string} name */
function use(name) {
  const wanted = name.trim() || view.own;
  if (view.loading === wanted) return; // pressed twice
  view.loading = wanted;
  const value = { reader: wanted, question: typed("question"), context: typed("paragraph") };
  post("reader", view.trigger, "input", { index: "use", value });
}

/** Let another reader read what the screen shows; the one in use stays. @param {string} name */
function compare(name) {
  const value = { reader: name.trim() || view.own };
  post("another reader", view.trigger, "input", { index: "compare", value });
}

/** Both readings, below the list, until another text comes. */
async function showBoth({ question, text, gold, readings, note }) {
  const { sideBySide } = await import("./side_by_side.js");
  const place = view.root.querySelector(".reader-compare");
  place.replaceChildren(
    el("h3[dir=auto][tabindex=-1]", question),
    note && el("p", note),
    sideBySide(text, gold, readings),
  );
  place.querySelector("h3").focus();
}

/** Ask what is known of the page's own reader, once the panel is looked at. */
function ask() {
  if (view.about.has(view.own) || !document.body.classList.contains("readers")) return;
  view.about.set(view.own, "");
  post("reader facts", view.trigger, "input", { index: "facts", value: true });
}

/** One reader of the list, with a way to use it, and to forget one that is only remembered. */
function row(source, remembered) {
  const about = view.about.get(source) || remembered?.about || view.offered[source] || "";
  const on = source === inUse();
  const forget = remembered &&
    el("button.plain", {
      "aria-label": `forget ${source}`,
      onclick: () => {
        keepRecent(recent().filter((one) => one.source !== source));
        fill();
        view.root.querySelector("#reader-name")?.focus();
      },
    }, "forget");
  return el(
    "li",
    el("button.side", {
      "aria-pressed": on,
      onclick: () => use(source),
    }, el("bdi", source)),
    !on &&
      el("button.plain", {
        "aria-label": `compare with ${source}`,
        onclick: () => compare(source),
      }, "compare"),
    el("span.role-quiet", about),
    forget,
  );
}

function fill() {
  const list = view.root.querySelector("ul");
  if (!list) return;
  const held = document.activeElement;
  const at = [...list.querySelectorAll("button")].findIndex((button) => button === held);
  const own = [...new Set([...Object.keys(view.offered), view.own])];
  list.replaceChildren(
    ...own.map((source) => row(source, null)),
    ...recent().filter(({ source }) => !own.includes(source)).map((one) => row(one.source, one)),
  );
  if (at >= 0) list.querySelectorAll("button")[at]?.focus();
}

/** The box for a name, and the list below. */
function build(hint) {
  const box = textBox("input#reader-name", { value: view.own, "aria-describedby": "reader-hint" });
  const wanted = form(
    "form.reader-form",
    () => use(box.value),
    el("label[for=reader-name]", "Reader"),
    box,
    el("button.side#ask-load[type=submit]", "Load this reader"),
    el("button.side", { onclick: () => compare(box.value) }, "Compare"),
  );
  const note = el("p.role-quiet.reader-hint#reader-hint", hint);
  const both = el("div.reader-compare");
  wanted.id = "ask-reader";
  view.root.append(wanted, note, el("ul.reader-list"), both);
}

export function updateReaders(root, data, trigger) {
  view.trigger = trigger;
  if (data.hint && !view.root) {
    Object.assign(view, { root, own: data.own, offered: data.offered });
    build(data.hint);
    hear("look", ask);
    hear("selection", fill);
    const done = () => {
      view.loading = null;
    };
    hear("message", ({ kind }) => kind !== "busy" && done());
    hear("reading", () => {
      done();
      view.root.querySelector(".reader-compare").replaceChildren();
    });
  }
  if (typeof data.source === "string") {
    view.about.set(data.source, data.about);
    if (data.source !== view.own && !(data.source in view.offered)) {
      keepRecent(withRecent(recent(), { source: data.source, about: data.about }));
    }
  }
  if (data.compare) showBoth(data.compare);
  if (view.root) fill();
  ask();
  say("readers");
}
