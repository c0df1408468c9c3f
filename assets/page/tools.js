// What stands beside the answer: dark, present, cover, pin, link, save; and what was typed is kept.

import { el, row } from "./dom.js";
import { current, isLost, link, postOnce, set } from "./store.js";

const KEPT = "spanlight";

/** @type {Record<string, any>} */
const memory = {};

/** Where the browser remembers it: a text or a lesson for this tab alone. In a private window or a
 * frame it may refuse, then this page remembers it.
 */
const storeOf = (name) => ["dark", "present"].includes(name) ? localStorage : sessionStorage;

export function remember(name, value) {
  memory[name] = value;
  try {
    storeOf(name).setItem(`${KEPT}.${name}`, JSON.stringify(value));
  } catch { /* `memory` has it */ }
}

/** What was remembered last, or null. */
export function remembered(name) {
  try {
    if (name in memory) return memory[name]; // the browser may be full
    return JSON.parse(storeOf(name).getItem(`${KEPT}.${name}`) ?? "null");
  } catch {
    return null;
  }
}

const system = matchMedia("(prefers-color-scheme: dark)");
const forced = matchMedia("(forced-colors: active)");

/** Dark as chosen, else as the system has it, which alone knows the ground of forced colours. */
export function theme(changed) {
  const show = () => {
    const dark = (forced.matches ? null : remembered("dark")) ?? system.matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    document.body.classList.toggle("dark", dark);
    changed(dark);
  };
  system.addEventListener("change", () => matchMedia("print").matches || show()); // paper is light
  forced.addEventListener("change", show);
  const toggle =
    () => (remember("dark", document.documentElement.dataset.theme !== "dark"), show());
  show();
  return toggle;
}

/** The button of Present, which a reload keeps. */
function present(redraw) {
  const title = "Large, without the boxes: for the front of a class";
  const button = el("button", { title, "aria-pressed": "false" }, "Present");
  const { classList, style } = document.body;
  const draw = () => {
    const by = Math.min(innerWidth / 1240, innerHeight / 740, 2);
    style.setProperty("--zoom", String(classList.contains("present") ? Math.max(1, by) : 1));
    redraw();
  };
  const show = (on) => {
    button.setAttribute("aria-pressed", String(classList.toggle("present", on)));
    draw();
  };
  const asChosen = () => show(remembered("present") === true);
  addEventListener("resize", draw);
  button.addEventListener("click", () => {
    remember("present", !classList.contains("present"));
    asChosen();
  });
  let beside = false;
  addEventListener("beforeprint", () => { // on a sheet nothing is large or beside another
    beside = classList.contains("paired");
    classList.remove("paired");
    style.minWidth = "1209px"; // the sheet's, for which a phone's figures are drawn
    show(false);
  });
  // once the window has its own width again, in Firefox
  addEventListener("afterprint", () => {
    classList.toggle("paired", beside), style.minWidth = "";
    setTimeout(asChosen);
  });
  asChosen();
  return button;
}

/** A label of which a narrow screen shows the first word. */
export const more = (word, rest) => [word, el("span", { class: "rest" }, ` ${rest}`)];

/** The bar of tools; `say` tells a sentence, `redraw` draws figures anew. */
export function tools({ say, redraw, pin, lessons }) {
  const dark = el("button", { class: "scheme", "aria-pressed": "false" }, "Dark");
  const toggle = theme((on) => (dark.setAttribute("aria-pressed", String(on)), redraw()));
  dark.addEventListener("click", toggle);
  const cover = el("button", {
    title: "Hide what tells the answer",
    "aria-pressed": "false",
    onclick: () => set({ veil: current().veil ? null : true }),
  }, more("Cover", "answer"));
  const copy = el("button", {
    title: "Copy a link to what is on screen",
    onclick: async () => {
      const address = link();
      if (!address) return say("These texts are too long for a link; save the page instead.");
      try {
        await navigator.clipboard.writeText(address);
        say("The link is copied.");
      } catch {
        const there = el("a", { href: address, target: "_blank" }, "this screen in its own tab");
        say("The browser does not let this page copy; its link is ", there, ".");
      }
    },
  }, "Link");
  const title = "Keep all chapters of this text in one file";
  const keep = el("button", { title, onclick: () => save(say) }, "Save");
  const about = { class: "tools", role: "toolbar", "aria-label": "Page" };
  const running = [lessons, cover, pin, copy, keep]; // a file has no server and no address
  const node = el("div", about, globalThis.SAVED ? [] : running, present(redraw), dark);
  return {
    node: row(node),
    show: () => cover.setAttribute("aria-pressed", String(!!current().veil)),
  };
}

/** All chapters of this state as one file; the server answers when its models are through. */
async function save(say) {
  say("Saving all chapters …");
  try {
    const reply = await postOnce("saved", { state: current() }, 600_000);
    if (!reply.ok) return say((await reply.json()).error);
    const href = URL.createObjectURL(await reply.blob());
    el("a", { href, download: "spanlight.html" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
    say("Saved: one file that opens without this server.");
  } catch (fault) {
    if (!isLost(fault)) throw fault;
    say("The server does not answer; press Save again.");
  }
}

/** @returns {any} */
export const area = (id) => document.querySelector(`#${id} textarea, #${id} input`);

/** What was typed and not asked yet survives a reload and a restarted server. */
export function keepTyped() {
  addEventListener("input", (/** @type {any} */ event) => {
    if (!event.target.closest?.("#question, #paragraph")) return;
    remember("typed", [area("question")?.value ?? "", area("paragraph")?.value ?? ""]);
  });
}

/** The texts that were typed and not asked, or null. */
export const typed = () => remembered("typed");
export const forgetTyped = () => remember("typed", null);
