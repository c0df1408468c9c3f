// The page: answer, tabs, chapter; all it knows of a chapter is its name.

import { announcer, arrows, el, keepingFocus } from "./dom.js";
import { lessons } from "./lessons.js";
import { all, draw, follow } from "./render.js";
import { ask, BASE, begin, current, leave, pictureOf, set } from "./store.js";
import { area, forgetTyped, keepTyped, more, tools, typed } from "./tools.js";

const views = new Map(), answerViews = new Map(), pinnedViews = new Map();
/** @type {any} the picture on screen, with its state */
let shown = null;
/** @type {any} the state that was pinned */
let pinned = null, pinTurn = 0;
/** The sentence about the state that the page was opened with, until something is set. */
let begun = "";

/** What changes with what is set; what a closed fold holds is not said. */
const SPOKEN = ":is(.answer, .finding, .note, .closing, .formula-line):not(details:not([open]) *)";

/** Build the page in an element; `chapters`: [key, name] each. */
export function mount(root, chapters) {
  const tab = ([key, name]) =>
    el("button", {
      role: "tab",
      id: `tab-${key}`,
      "aria-controls": "chapter",
      "data-chapter": key,
      "aria-selected": "false",
      tabindex: -1,
      onclick: () => set({ chapter: key }),
    }, name);
  const about = { class: "tabs", role: "tablist", "aria-label": "Chapters" };
  const tabs = el("div", about, chapters.map(tab));
  const answer = el("div", { class: "verdict" });
  const say = el("p", { class: "say", role: "status" });
  const waits = el("p", { class: "waits", role: "status" });
  const voice = announcer();
  const grid = el("div", { class: "blocks", id: "chapter", role: "tabpanel", tabindex: -1 });
  const aside = el("section", { class: "pinned", "aria-label": "Pinned", hidden: true });
  const pin = el("button", {
    title: "Keep this picture beside what you change",
    "aria-pressed": "false",
    onclick: () => {
      pinned = pinned ? null : shown?.state ?? null;
      drawPinned(aside, pin);
    },
  }, more("Pin", "picture"));
  const errors = el("a", { href: new URL("wrong", BASE).href }, "What textbooks get wrong here →");
  const redraw = () => [...all(views), ...all(pinnedViews)].forEach((view) => view.redraw?.());
  const tell = (...parts) => say.replaceChildren(...parts);
  const course = lessons();
  const bar = tools({ say: tell, redraw, pin, lessons: course.opener });
  root.replaceChildren(
    el("h1", { class: "unseen" }, "Spanlight: extractive question answering"),
    el("div", { class: "top" }, answer, bar.node),
    say,
    tabs,
    el("div", { class: "pair" }, course.panel, el("div", { class: "stage" }, waits, grid), aside),
    voice.node,
    globalThis.SAVED ? "" : el("p", { class: "foot" }, errors),
  );
  arrows(tabs, [...tabs.children]);

  /** Mark a chapter's tab, and name the page after it. */
  const showTab = (chapter) => {
    if (document.getElementById(`tab-${chapter}`)?.ariaSelected === "true") return;
    for (const t of tabs.children) {
      const on = t.dataset.chapter === chapter;
      t.setAttribute("aria-selected", String(on));
      t.tabIndex = on ? 0 : -1;
      if (on) {
        grid.setAttribute("aria-labelledby", t.id);
        document.title = `${t.textContent} · Spanlight`;
        t.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
    }
  };

  /** Back to the picture on screen, or to the first one. */
  const back = () => {
    leave(shown?.state ?? {});
    if (!shown) return ask();
    showTab(shown.chapter), redraw(), follow(views, { selection: shown.selection });
  };

  /** Wait no more, and say a sentence, beside the control that caused it where there is one. */
  const settle = (sentence, field) => {
    for (const old of grid.querySelectorAll(".refused")) old.remove();
    const control = sentence && field && grid.querySelector(`[data-field="${CSS.escape(field)}"]`);
    if (control) control.append(el("p", { class: "refused", role: "alert" }, sentence));
    say.textContent = control ? "" : (sentence ?? begun);
    say.classList.toggle("error", !!(sentence ?? begun) && !control);
    const inside = waits.contains(document.activeElement);
    waits.replaceChildren();
    if (inside) grid.focus({ preventScroll: true });
  };
  const cancel = () => (settle(null), back());

  /** @type {number[]} what a late picture does: it greys, then a sentence says what is waited for */
  let late = [];
  const sentences = () =>
    [answer, grid].flatMap((part) => [...part.querySelectorAll(SPOKEN)].map((p) => p.textContent));
  begin({
    picture(picture) {
      const before = shown, stood = sentences();
      const elsewhere = before &&
        (before.chapter !== picture.chapter || before.step !== picture.step);
      shown = picture;
      const asked = [picture.question, picture.context];
      if (JSON.stringify(typed()) === JSON.stringify(asked)) forgetTyped();
      const head = picture.blocks.filter((b) => b.key === "answer");
      const blocks = picture.blocks.filter((b) => b.key !== "answer");
      draw(answer, { blocks: head, selection: picture.selection }, answerViews);
      keepingFocus(grid, () => {
        if (elsewhere) views.clear(), grid.replaceChildren();
        draw(grid, { ...picture, blocks }, views);
      });
      const changed = sentences().filter((sentence) => !stood.includes(sentence)).join(" ");
      if (elsewhere || waits.firstChild) voice.say(grid.querySelector(".heading").textContent);
      else if (before && changed) voice.say(changed);
      showTab(picture.chapter);
      bar.show();
      errors.setAttribute("href", new URL(`wrong#${picture.chapter}`, BASE).href);
      const same = before &&
        ["question", "context", "example", "reader"].every((name) =>
          before[name] === picture[name]
        );
      if (!same) fillBoxes();
      if (pinned) drawPinned(aside, pin);
    },
    lesson: course.openStep,
    came: course.came,
    marks(patch) {
      if (shown) begun = "";
      follow(views, patch);
      course.changed(patch);
    },
    busy(on) {
      if (on && !late.length) {
        const words = () => say.textContent || waits.firstChild || tell("Waiting for the server …");
        late = [setTimeout(() => grid.classList.add("stale"), 200), setTimeout(words, 1500)];
      }
      if (!on) late.forEach(clearTimeout), late = [], grid.classList.remove("stale");
      root.dataset.busy = String(on);
    },
    lost: () => tell("The server does not answer; asking again …"),
    waiting: (body) => (wait(waits, body, cancel), showTab(current().chapter ?? "answer")),
    /** A sentence, or null for none any more; `stays`: the first example is asked for already. */
    refused(sentence, { field = "", stays = false } = {}) {
      settle(sentence, field);
      if (!sentence || (begun && !shown)) return;
      if (!shown || stays) begun = sentence; // the first example comes below it
      if (!stays) back();
    },
  });
  keepTyped();
  addEventListener("keydown", (/** @type {any} */ { key, target }) => {
    if (key === "Enter" && target.closest("#example")) choose("example", shown?.example, true);
    // Tab stops at gradio's list, which closes under it
    const lists = key === "Tab" ? document.querySelectorAll("#ask-row .option-list") : [];
    for (const list of lists) list.setAttribute("tabindex", "-1");
  });
}

/** Which model is waited for, over the picture's place: what is below it does not move. */
function wait(node, { model, place, seconds, done }, stop) {
  const said = `This picture waits for ${model}.`;
  const where = place
    ? `place ${place} in the line`
    : done
    ? `${Math.round(100 * done)} % done`
    : "the first one takes longer, as the model is loaded";
  if (node.firstChild?.textContent !== said) {
    node.replaceChildren(
      el("b", {}, said),
      el("span", { "aria-hidden": "true" }), // changes three times a second
      el("button", { onclick: stop }, "Cancel"),
    );
  }
  node.children[1].textContent = `${Math.round(seconds)} s; ${where}`;
}

/** The pinned state in the chapter that is open, beside the page's own. */
async function drawPinned(aside, pin) {
  const mine = ++pinTurn;
  pin.setAttribute("aria-pressed", String(!!pinned));
  aside.hidden = !pinned;
  document.body.classList.toggle("paired", !!pinned);
  if (!pinned) return;
  const { chapter, step, veil } = current();
  const newest = () => mine === pinTurn;
  const picture = await pictureOf({ ...pinned, chapter, step, veil }, current(), newest);
  if (!newest() || !picture) return;
  if (aside.dataset.place !== `${picture.chapter}${picture.step}`) {
    pinnedViews.clear(), aside.replaceChildren();
  }
  aside.dataset.place = `${picture.chapter}${picture.step}`;
  const grid = aside.querySelector(".blocks") ?? aside.appendChild(el("div", { class: "blocks" }));
  const line = aside.querySelector(".differs") ?? el("p", { class: "differs" });
  line.textContent = picture.differs || "Pinned: the same state; change anything, and this stays.";
  aside.prepend(line);
  draw(grid, picture, pinnedViews);
}

/** gradio's boxes are filled by an event of gradio: a hidden button's, whose script reads `boxes`.
 * Until gradio listens, which may be after the first picture, a press is lost; the boxes themselves
 * may come later still.
 */
function fillBoxes(tries = 40) {
  const plain = (texts) => texts.join(" ").replace(/\s/g, ""); // a line has no line ends
  const stand = () => plain([area("question")?.value, area("paragraph")?.value]), before = stand();
  /** @type {any} */ (document.querySelector("#fill-boxes"))?.click();
  setTimeout(() => {
    const now = stand(), lost = (now === before || !before) && now !== plain(boxes().slice(0, 2));
    if (lost && tries && !globalThis.SAVED) fillBoxes(tries - 1);
  }, 250);
}

/** What stands in question, paragraph, example and reader; what was typed and not asked stays. */
export function boxes() {
  if (!shown) return [];
  const [question, context] = typed() ?? [shown.question, shown.context];
  return [question, context, shown.example, shown.reader];
}

/** Ask: the newest press wins. */
export function askTexts(question, context) {
  if (shown?.question === question && shown?.context === context) set({});
  else set({ question, context });
}

/** An example or a reader was chosen; gradio says so too where Tab left its box as it stood: only
 * one that was `pressed` brings its texts back when it stands there already.
 */
export function choose(name, value, pressed = false) {
  const own = name === "example" && "question" in current();
  const same = value === (current()[name] ?? (own ? null : shown?.[name]));
  if (same && !(pressed && value && typed())) return;
  if (name === "example") forgetTyped(); // its texts take the place of what was typed
  if (same) fillBoxes();
  else set({ [name]: value });
}
