// A reading without the page that made it: in one file, or in the static edition, which brings one
// after another. The same pictures, answered by a tape.

import { links } from "../shared/address.js";
import { el } from "../shared/dom.js";
import { toggle } from "../shared/header.js";
import { NOT_SAVED } from "../shared/needs_page.js";
import { hear, hearLink, say } from "../shared/store.js";
import { carryStep } from "../shared/visit.js";
import { edition } from "./edition.js";
import { answered, ask, asTheSystem, later, page, picture, refuse, select, show } from "./host.js";

/** Controls that only the browser answers. All others of a picture need the running page. */
const FREE = [
  "[id^=scores-bias-]",
  "[name=start_end-scale]",
  "#start_end-window",
  "[id^=why-lane-]",
  "#why-by-word",
  "#loss-alone",
];
const CONTROLS = "input, select, textarea, [type=submit]";

/** The same state on the running page; the fragment follows what is shown. */
function wayThere(home) {
  if (!home) return null;
  const link = el(
    "a.plain#to-page",
    { href: home, target: "_blank", rel: "noopener noreferrer" },
    "open on the running page",
  );
  let turn = 0;
  const follow = async () => {
    turn += 1;
    const mine = turn;
    const made = await links();
    if (made && mine === turn) link.href = `${home}${made.fits}`;
  };
  ["selection", "opened", "carried", "look"].forEach((name) => hear(name, follow));
  return link;
}

function masthead({ home, tagline }, more) {
  asTheSystem();
  page().append(
    el(
      "header.masthead",
      el("h1", more.up ? el("a", { href: more.up }, "Spanlight") : "Spanlight"),
      el("p.tagline", tagline),
      el(
        "div.switches[role=group][aria-label=Page]",
        more.strip ? toggle("lessons", "lessons", "lessons") : null,
        toggle("guessing", "you are the reader", "guess"),
        toggle("veiled", "veil"),
        toggle("dark", "dark"),
        toggle("present", "present"),
        wayThere(home),
      ),
    ),
  );
}

/** What needs Python cannot be moved; what is drawn later is looked at when it comes. */
function still(root, free) {
  const look = () =>
    root.querySelectorAll(CONTROLS).forEach((control) => {
      if (control.matches(free) || control.hasAttribute("disabled")) return;
      control.setAttribute("disabled", "");
      control.setAttribute("title", "needs the running page");
    });
  new MutationObserver(look).observe(root, { childList: true, subtree: true });
  look();
}

/**
 * Draw a page around a tape.
 * @param {any} saved what views/saved/file.py or views/saved/site.py wrote
 * @param {any} tape the reading that is shown first
 * @param {any} [more] what the static edition adds
 */
function start(saved, tape, more = {}) {
  document.body.classList.add("saved");
  masthead(saved, more);
  carryStep();
  hearLink(({ veil }) => {
    if (!veil) return;
    document.body.classList.add("veiled");
    say("look", "veiled");
  });
  picture("store", "store", {});
  picture(
    "chosen",
    "chosen",
    {},
    later((event, data) => {
      if (event === "select") return select(data);
      if (more.chosen?.(data)) return answered(data.id);
      refuse(NOT_SAVED);
      return answered(data.id, true);
    }),
  );
  picture("say", "say", {});
  picture("heard", "heard", {});
  const bar = el("div#ask-bar");
  page().append(bar);
  picture("asked", "asked", {}, undefined, bar);
  more.bar?.(bar);
  more.strip?.();
  picture("guess", "guess", {});
  picture("verdict", "verdict", {});
  const tabs = el("div");
  page().append(tabs);
  const { chapters } = saved;
  chapters.forEach(({ key }) => panel(key, more));
  const { open } = tape.reading;
  picture("chapters", "chapters", { chapters, open }, later((_, { id }) => answered(id)), tabs);
  picture("foot", "foot", { text: saved.foot });
}

function panel(key, more) {
  const box = el("div.panel", { id: `panel-${key}` });
  page().append(box);
  const made = picture(
    "chapter",
    `picture-${key}`,
    { chapter: key },
    later((_, data) => (more.ask?.(key, data) ? answered(data.id) : ask(key, data))),
    box,
  );
  still(made, [...FREE, ...more.free ?? []].join());
}

const block = document.getElementById("saved");
if (block) {
  const saved = JSON.parse(block.textContent ?? "");
  start(saved, saved.tape);
  show(saved.tape);
} else edition(start);
