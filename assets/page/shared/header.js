// Title and the switches that only concern the browser: reader menu, guess strip, veil, theme,
// present mode, link.

import { el, svg } from "./dom.js";
import { linkPanel } from "./link_panel.js";
import { keyList, obey, shortcut } from "./shortcuts.js";
import { hear, say, state } from "./store.js";

/**
 * A switch of the header: a class of the body.
 * @param {string} name
 * @param {string} label
 * @param {string | null} [controls] the panel it opens
 */
export function toggle(name, label, controls = null) {
  const attribute = controls ? "aria-expanded" : "aria-pressed";
  const button = el("button.plain", { id: `switch-${name}`, "aria-controls": controls }, label);
  const show = () => button.setAttribute(attribute, String(document.body.classList.contains(name)));
  button.addEventListener("click", () => {
    document.body.classList.toggle(name);
    show();
    say("look", name);
  });
  hear("look", show);
  show();
  return button;
}

/**
 * The address of this page for a class: to be typed, and as a QR code.
 * @param {{address: string, rows: string[]}} join
 */
function joinPanel({ address, rows }) {
  const dark = rows.flatMap((row, y) =>
    [...row].flatMap((bit, x) => bit === "1" ? [`M${x} ${y}h1v1h-1z`] : [])
  );
  return el(
    "div.join-panel#join-panel",
    svg(
      "svg.join-code[role=img]",
      { viewBox: `0 0 ${rows.length} ${rows.length}`, "aria-label": `QR code of ${address}` },
      svg("rect", { width: rows.length, height: rows.length, fill: "#fff" }),
      svg("path", dark.join(""), { fill: "#000" }),
    ),
    el("p", "On this network, open ", el("strong.join-address", address)),
  );
}

export function updateHeader(root, { join }) {
  if (root.firstChild) return;
  if (
    !new URLSearchParams(window.location.search).has("__theme") &&
    window.matchMedia("(prefers-color-scheme: dark)").matches
  ) document.body.classList.add("dark");
  const reader = toggle("readers", "reader", "reader-panel");
  hear("reading", (reading) => {
    reader.textContent = `reader: ${reading.reader}`;
  });
  // the row of switches scrolls on a phone; a browser is content with half a button
  root.addEventListener("focusin", ({ target }) => {
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  root.append(
    el(
      "header.masthead",
      el("h1", "Spanlight"),
      el("p.tagline", "how a reader finds the answer"),
      el(
        "div.switches[role=group][aria-label=Page]",
        reader,
        toggle("lessons", "lessons", "lessons"),
        toggle("benching", "bench", "bench"),
        toggle("guessing", "you are the reader", "guess"),
        toggle("veiled", "veil"),
        toggle("dark", "dark"),
        toggle("present", "present"),
        toggle("linking", "link", "link-panel"),
        join ? toggle("joining", "join", "join-panel") : null,
      ),
    ),
    ...(join ? [joinPanel(join)] : []),
    ...linkPanel(),
  );
}

let keysOn = true;

/** The last line of the page: single keys can be switched off there. */
export function updateFoot(root, data) {
  if (root.firstChild) return;
  const box = el("input#single-keys[type=checkbox]", {
    checked: true,
    onchange: (event) => {
      keysOn = event.target.checked;
    },
  });
  const list = keyList();
  root.append(
    el(
      "div.foot",
      el(
        "span",
        el("label", box, " single keys"),
        el("button.plain", { onclick: list.toggle }, "what they do"),
      ),
      el("span", data.text ?? ""),
    ),
    list.box,
  );
  document.addEventListener("keydown", (event) => {
    const wanted = keysOn ? shortcut(event) : null;
    if (!wanted) return;
    event.preventDefault();
    obey(wanted, state.chapter, list.toggle);
  });
}
