// A lesson beside the picture: what is asked, a guess, why it is wrong, the reveal. One black button.

import { announcer, el, said } from "./dom.js";
import { makeRoom } from "./room.js";
import { BASE, current, patched, post, replace, sentenceOf, TEXTS } from "./store.js";
import { remember, remembered } from "./tools.js";

const OPEN_STEP = "lesson";

/**
 * The panel of lessons. `place`: {lesson, step}; `card`: the step as it is asked; `guess`: what is
 * chosen; `verdict`: what was said of it; `reveal`: null until it was asked for.
 */
export function lessons() {
  const panel = el("section", { class: "lesson", "aria-label": "Lesson", hidden: true });
  const voice = announcer();
  /** @type {any} */
  let open = null, list = null, wrong = "", newestRequest = 0;
  let fresh = false, down = false, late = false;
  const press = (text, act, more = {}) => el("button", { onclick: act, ...more }, text);
  const quiet = (text, act) => press(text, act, { class: "plain", "data-focus": text });
  const faultLine = () => wrong ? el("p", { class: "wrong", role: "alert" }, wrong) : null;
  const place = () => open && [open.place.lesson, open.place.step];
  const redraw = (said = wrong) => (wrong = said, draw());
  const busy = () => panel.dataset.busy === "true";
  const room = makeRoom(quiet, { place, busy, redraw, follow });

  const opener = el("button", {
    "aria-pressed": "false",
    onclick: () => (panel.hidden ? (start(), room.catchUp()) : close()),
  }, "Lessons");

  /** Run what asks the server; a refusal is one sentence in the panel. Whether it went, and nothing
   * was asked after it.
   */
  async function tried(go) {
    const mine = ++newestRequest, newest = () => mine === newestRequest;
    panel.dataset.busy = "true";
    let refused = "";
    try {
      await go(newest);
    } catch (refusal) {
      refused = sentenceOf(refusal);
    }
    if (newest()) panel.dataset.busy = "false", wrong = refused;
    draw();
    return newest() && !refused;
  }

  function show(on) {
    panel.hidden = !on;
    document.body.classList.toggle("learning", on);
    opener.setAttribute("aria-pressed", String(on));
    dispatchEvent(new Event("resize"));
  }

  function close() {
    open = null;
    newestRequest++, panel.dataset.busy = "false"; // what is on its way opens nothing
    remember(OPEN_STEP, null);
    show(false);
    if (current().veil) replace(patched(current(), { veil: null }));
    room.moved();
  }

  /** Show the list of lessons. */
  function start() {
    show(true);
    open = null;
    fresh = true;
    room.moved();
    return tried(async () => list = (await post("lesson", {})).lessons);
  }

  /** Open a step; `revealed`: with its reveal, as after a reload; `stay`: the page's state is kept. */
  const go = ({ lesson, step }, { revealed = false, stay = false } = {}) =>
    tried(async (newest) => {
      const place = { lesson, step }, card = await post("lesson", place);
      const reveal = revealed
        ? await post("lesson", { ...place, reveal: true, room: room.seat() })
        : null;
      if (!newest()) return;
      open = { place, card, guess: null, verdict: null, reveal };
      show(true);
      keep();
      if (!stay) replace(card.state);
      else if (card.ask === "mark" && ofStep(current())) open.guess = current().selection ?? null;
      room.moved();
      fresh = true;
    });

  /** Whether a state is of the step's own text: words marked in another are no guess. */
  const ofStep = (state) =>
    TEXTS.every((name) => [undefined, state[name]].includes(open.card.state[name]));
  const openStep = () => open && { ...open.place, revealed: !!open.reveal };
  const keep = () => remember(OPEN_STEP, openStep());

  /** Back or Forward came to another step, or to a picture outside of all. */
  function came(before) {
    if (room.follows() || JSON.stringify(before) === JSON.stringify(openStep())) return;
    if (before) go(before, { revealed: before.revealed, stay: true });
    else if (open) start();
  }

  const asks = () => open && open.card.ask !== "none" && !open.reveal;

  /** A state with one's own marked words, where it is of their step. */
  const withMarks = (state) =>
    asks() && open.card.ask === "mark" && open.guess && ofStep(state)
      ? { ...state, selection: open.guess }
      : state;

  const commit = () =>
    tried(async (newest) => {
      const { place, guess } = open;
      const verdict = await post("lesson", { ...place, guess, room: room.seat() });
      if (newest() && open.guess === guess) open.verdict = verdict;
      room.ask();
    });

  const askReveal = () =>
    tried(async (newest) => {
      const { place, verdict, guess } = open;
      const own = verdict?.counted ? { guess } : {};
      const reveal = await post("lesson", { ...place, ...own, reveal: true, room: room.seat() });
      if (!newest()) return;
      open.reveal = reveal;
      open.verdict = reveal.verdict ?? open.verdict;
      keep();
      if (!room.follows()) replace(reveal.state);
    });

  /** What the teacher shows: the step, the reveal, the state; one's own marked words stay. */
  async function follow(look, anew, newest) {
    const [lesson, number] = look.place ?? [], lost = anew || !open?.verdict?.counted;
    let went = true;
    if (!lesson && open) start();
    else if (lesson && (lesson !== open?.place.lesson || number !== open.place.step)) {
      went = await go({ lesson, step: number }, { revealed: look.revealed, stay: true });
    } else if (lesson && look.revealed && !open.reveal) went = await askReveal();
    else if (lesson && asks() && open.verdict && lost) went = await commit(); // it is not counted
    if (newest()) replace(withMarks(look.state));
    return went;
  }

  function next() {
    const { step, of, lesson, after } = open.card;
    if (step < of) return go({ lesson, step: step + 1 });
    return after ? go({ lesson: after, step: 1 }) : start();
  }

  /** A guess was made or changed; what was said of an older one goes. */
  function guessed(guess) {
    if (!asks()) return;
    open.guess = guess, open.verdict = null;
    draw();
  }

  // ---- drawing

  /** The next sensible act; nothing else is black. */
  function black() {
    const act = (text, go, off = false) =>
      press(text, go, { class: "act", "data-act": text, "data-focus": "act", disabled: off });
    if (open.reveal || open.card.ask === "none") {
      if (room.follows()) return null;
      return act("Next", next);
    }
    if (room.leads()) return act("Reveal", askReveal);
    if (room.waits()) return open.verdict ? null : act("Commit", commit, open.guess === null);
    return open.verdict ? act("Reveal", askReveal) : act("Commit", commit, open.guess === null);
  }

  const plain = (words) => words.map(([text]) => text).join("");

  /** In a class: how many guessed these words, with its bar; null while that is covered. */
  function counted(words) {
    const bars = room.look()?.bars;
    if (!bars) return null;
    const n = bars.find(([label]) => label === words)?.[1] ?? 0;
    const most = Math.max(1, ...bars.map(([, m]) => m));
    return [el("b", {}, n), el("i", { style: { width: `${100 * n / most}%` } })];
  }

  /** In a class: guesses that are none of the options, and the teacher's button. */
  function board() {
    const look = room.look(), options = open.card.options.map(([, words]) => plain(words));
    if (!look || open.card.ask === "none") return null;
    const bar = ([words, , right]) => {
      const mark = right ? "right" : null, label = el("span", { translate: "no" }, words);
      return el("li", { class: mark }, label, el("small", {}, mark), counted(words));
    };
    const other = (look.bars ?? []).filter(([words]) => !options.includes(words)).map(bar);
    const none = look.bars?.length === 0 ? "No guess yet." : null;
    const all = other.length ? el("ul", { class: "bars" }, other) : none;
    const words = look.shown ? "Hide the guesses" : "Show the guesses";
    const button = room.leads() && !look.revealed
      ? press(words, () => room.show(!look.shown), { class: "plain", "data-focus": "bars" })
      : null;
    return el("div", { class: "board" }, all, button);
  }

  /** The box for a number; the teacher's page has none. */
  function guessBox() {
    const { reveal, guess } = open;
    if (room.leads()) return null;
    const box = el("input", {
      type: "text",
      inputmode: "decimal",
      "aria-label": "Your number",
      placeholder: "your number",
      "data-focus": "number",
      disabled: !!reveal,
      maxlength: 40,
    });
    box.value = guess ?? ""; // which the caret stands behind, if it is drawn anew
    const commitButton = () => panel.querySelector("[data-act=Commit]");
    box.addEventListener("input", () => {
      const given = box.value.trim() || null;
      if (open.verdict) guessed(given);
      open.guess = given;
      commitButton()?.toggleAttribute("disabled", given === null);
    });
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") commitButton()?.focus(), commitButton()?.click();
    });
    return box;
  }

  function options() {
    const { card, reveal, guess } = open;
    if (!card.options.length) return null;
    const option = ([key, words]) => {
      const right = reveal && key === reveal.key, guesses = counted(plain(words));
      const about = {
        class: right ? "option right" : "option",
        "aria-pressed": String(key === guess),
        "data-focus": `option-${key}`,
        disabled: !!reveal,
        onclick: () => guessed(key),
      };
      const mark = right ? el("small", {}, " right") : null;
      return el("button", about, el("span", {}, said(words)), mark, guesses);
    };
    const group = { class: "options", role: "group", "aria-label": "Your guess" };
    return el("div", group, card.options.map(option));
  }

  /** What was said of the guess, and the reveal. */
  function spoken() {
    const { verdict, reveal, card } = open;
    const box = el("div", { class: "spoken" });
    const line = (...inner) => box.append(el("p", {}, ...inner));
    const words = (label) => el("b", { translate: "no" }, label);
    if (verdict?.counted) {
      line("Counted: ", words(verdict.label));
      line("Your teacher reveals; until then you may change it.");
    }
    if (verdict?.said?.length) {
      box.append(el("p", { class: verdict.right ? "yes" : "no" }, said(verdict.said)));
    }
    if (reveal?.label && !verdict?.right && !card.options.length) {
      line("Right: ", words(reveal.label));
    }
    if (reveal) box.append(el("p", { class: "reveal" }, said(reveal.reveal)));
    voice.say([...box.children].map((one) => one.textContent).join(" "));
    return box;
  }

  function stepView() {
    const { card, reveal, verdict, guess } = open;
    const unsure = asks() && !verdict && !room.leads()
      ? quiet("I don't know", () => (open.guess = null, commit()))
      : null;
    const marks = card.ask === "mark" && !reveal && !room.leads();
    const hint = guess ? "Your words are underlined." : "Nothing is marked yet.";
    const back = () => go({ lesson: card.lesson, step: card.step - 1 });
    const ways = [
      card.step > 1 ? quiet("Back", back) : null,
      asks() && room.leads() ? quiet("Skip", next) : null,
      quiet("Show picture", () => replace(withMarks((reveal ?? card).state))),
      quiet("All lessons", start),
    ];
    return [
      el("p", { class: "where" }, `${card.title}, step ${card.step} of ${card.of}`),
      el("h2", { tabindex: -1, "data-focus": "heading" }, card.heading),
      el("p", { class: "asked" }, said(card.question)),
      marks ? el("p", { class: "hint" }, hint) : null,
      card.ask === "number" ? guessBox() : options(),
      spoken(),
      faultLine(),
      el("p", { class: "acts" }, black(), unsure),
      board(),
      room.follows() ? null : el("p", { class: "ways" }, ways),
    ];
  }

  /** Join a room or open one. */
  function doors() {
    if (room.seated()) return null;
    const about = { "aria-label": "Room code", placeholder: "room code", maxlength: 10 };
    const code = el("input", { ...about, type: "text", "data-focus": "room-code" });
    const onsubmit = (event) => (event.preventDefault(), room.join(code.value));
    const send = el("button", { class: "option" }, "Join your class");
    const teachers = el("a", { href: new URL("teaching", BASE).href }, "For teachers");
    const more = el("p", {}, quiet("Open a room", room.open), " · ", teachers);
    return el("div", { class: "doors" }, el("form", { onsubmit }, code, send), more);
  }

  function menuView() {
    const row = (one) => {
      const title = press(one.title, () => go({ lesson: one.id, step: 1 }), { class: "plain" });
      return el("li", {}, title, el("small", {}, ` ${one.minutes} min`));
    };
    const heading = el("h2", { tabindex: -1, "data-focus": "heading" }, "Lessons");
    return [heading, faultLine(), el("ol", {}, (list ?? []).map(row)), doors()];
  }

  /** What is drawn anew under a finger would lose its press: it waits until that has ended. */
  function draw() {
    late = down;
    if (down) return;
    const active = document.activeElement, inside = panel.contains(active);
    const held = CSS.escape(active?.getAttribute("data-focus") ?? "");
    panel.replaceChildren(
      ...[room.bar(!open), ...(open ? stepView() : menuView())].flat().filter(Boolean),
    );
    if (!fresh && !inside) return;
    const same = `[data-focus="${held}"]:not(:disabled)`;
    const ways = fresh ? ["h2"] : [same, ".act:enabled", "h2"];
    /** @type {any} */ (ways.map((way) => panel.querySelector(way)).find(Boolean)).focus();
    fresh = false;
  }

  /** The page's selection changed: in a step that asks for words it is the guess. */
  function marked(patch) {
    if (!asks() || open.card.ask !== "mark" || !patch.selection || !ofStep(current())) return;
    const typing = document.activeElement?.matches(".word:focus-visible");
    guessed(patch.selection);
    if (typing) /** @type {any} */ (panel.querySelector(".act"))?.focus();
  }

  panel.addEventListener("pointerdown", (event) => down = event.button === 0);
  for (const end of ["pointerup", "pointercancel"]) {
    addEventListener(end, () => setTimeout(() => (down = false, late && draw())));
  }
  if (!globalThis.SAVED && room.resume()) show(true), draw();
  const before = globalThis.SAVED ? null : remembered(OPEN_STEP);
  if (before) go(before, { revealed: before.revealed, stay: true });
  else if (!panel.hidden) start();
  const changed = (patch) => (marked(patch), room.moved());
  return { panel: [panel, voice.node], opener, changed, openStep, came };
}
