// The panel of the header that gives this screen's link away, and what a link that came says: what
// it could not bring, and what its author locked.

import { address, followAddress, MOST } from "./address.js";
import { carry } from "./carry.js";
import { el } from "./dom.js";
import { allLocked, lockedSays, LOCKS, unlock } from "./lock.js";
import { saveButton } from "./save_file.js";
import { ask, hear, hearLink, say } from "./store.js";
import { copyButton, download, takeButton } from "./take.js";
import { nameOf } from "./take_table.js";
import { carryStep } from "./visit.js";
import { printReading } from "../worksheet/worksheet.js";

const says = (length) =>
  length > MOST
    ? `The texts are too long for a link (${length.toLocaleString("en")} of ${
      MOST.toLocaleString("en")
    } characters): this one brings back everything but them.`
    : "What was computed on request comes back with a press; what was trained on this page does not.";

/** The field, the button beside it, and what may be locked. */
function panel() {
  const field = el("input.link-field#link-field[type=text]", {
    readonly: true,
    "aria-describedby": "link-note",
    onfocus: (event) => event.target.select(),
  });
  const copy = copyButton(null, () => field.value);
  const note = el("p.link-note#link-note");
  const locks = LOCKS.map(([name, label]) => [
    name,
    el("input[type=checkbox]", { id: `link-lock-${name}`, onchange: () => fill() }),
    label,
  ]);
  const root = el(
    "div.link-panel#link-panel",
    {
      onkeydown: ({ key }) => {
        const button = document.getElementById("switch-linking");
        if (key !== "Escape" || !button) return;
        button.click();
        button.focus();
      },
    },
    el(
      "label[for=link-field]",
      "This address brings back the texts, the reader, the chapter, the selection and what you changed:",
    ),
    field,
    copy,
    saveButton(),
    el("button.plain#worksheet", { onclick: printReading }, "print a worksheet of this text"),
    takeButton(
      "save as JSON, with the fields of the command line",
      null,
      () => ask("json", true),
    ),
    el(
      "fieldset.link-locks",
      el("legend", "Locked for whoever opens it:"),
      locks.map(([, box, label]) => el("label", box, ` ${label}`)),
    ),
    note,
  );
  hear("given", ({ what, text, error }) => {
    if (what !== "json") return;
    if (text) download(`${nameOf("", "reading")}.json`, [text], "application/json");
    else note.textContent = error;
  });
  let turn = 0;
  const fill = async () => {
    if (!document.body.classList.contains("linking")) return;
    turn += 1;
    const mine = turn;
    const lock = locks.filter(([, box]) => box.checked).map(([name]) => name);
    const made = await address({ lock });
    if (mine !== turn || !made) return;
    if (copy && field.value !== made.address) copy.textContent = "copy";
    field.value = made.address;
    note.textContent = says(made.length);
  };
  ["look", "selection", "reading", "opened", "carried"].forEach((name) => hear(name, fill));
  return root;
}

/** What a link that was opened could not bring, until the next text or a press. */
function arrived() {
  const text = el("span");
  const node = el(
    "p.link-left[role=status][hidden]",
    text,
    el("button.plain", { onclick: () => node.setAttribute("hidden", "") }, "close"),
  );
  hear("reading", ({ page }) => {
    text.textContent = page?.left ?? "";
    node.toggleAttribute("hidden", !page?.left);
  });
  return node;
}

/** What the author of the link has locked, and the way out of it. */
function locked() {
  const text = el("span");
  const node = el("p.link-left[hidden]", text, el("button.plain", { onclick: unlock }, "unlock"));
  const show = () => {
    text.textContent = lockedSays();
    node.toggleAttribute("hidden", !lockedSays());
  };
  hear("locked", show);
  show();
  return node;
}

/** A link covers the results, or uncovers them where it holds the whole screen. */
function veiled({ veil, whole }) {
  const { classList } = document.body;
  if (classList.contains("veiled") === veil || (!veil && !whole)) return;
  classList.toggle("veiled", veil);
  say("look", "veiled");
}

/** The panel and the two lines, and everything that makes links work. */
export function linkPanel() {
  carry("veil", () => document.body.classList.contains("veiled") || null);
  carry("lock", () => allLocked());
  carryStep();
  hearLink(veiled);
  followAddress();
  return [panel(), arrived(), locked()];
}
