// The strip: one step of a lesson beside the picture. A step sets the page up through Python; what is
// covered is covered until the guess is committed.

import { came } from "../shared/address.js";
import { carry } from "../shared/carry.js";
import { el, glued } from "../shared/dom.js";
import { emphasised } from "../shared/emphasis.js";
import { act } from "./act.js";
import { post } from "../shared/outbox.js";
import { needsPage } from "../shared/needs_page.js";
import { bus, hear, hearLink, say, state } from "../shared/store.js";
import { chipsPut, putChips } from "../shared/guess.js";
import { button, chipSentence, form, quiet } from "./guess_forms.js";
import { makeHomework } from "./homework.js";
import { guessed, keep, kept, remember, UNASKED } from "./memory.js";
import { goOn, offer } from "./offer.js";
import { makeOwnText } from "./own_text.js";
import { showPlans } from "./plans.js";
import { chosen, farewell, feedback, head, lessonList, note } from "./parts.js";
import { makeQuiz } from "./quiz.js";
import { makeRoom } from "./room.js";
import { showResults } from "./room_results.js";
import { showSaid } from "./said.js";
import { pointAt, showLit } from "./spotlight.js";
import { explain } from "./terms.js";
import { lessonSheet, printOnly } from "../worksheet/worksheet.js";

/** @type {any} */
const view = {
  root: null,
  contents: null,
  at: null,
  reply: null,
  told: null,
  voted: null,
  fold: "",
};

const PRESSED = "What is pressed, typed or measured in this step needs the running page.";
const FACT = /\{\w+\}/g;
const lessonOf = (id) => view.contents.lessons.find((lesson) => lesson.id === id);
const here = () => view.at && lessonOf(view.at.lesson);
const step = () => here()?.steps[view.at.step];
const isSaid = () => view.at?.lesson === view.contents.said;
const course = () => view.contents.lessons.filter(({ id }) => id !== view.contents.said);
const event = (name, value) =>
  post(`lesson ${name}`, view.trigger, "input", { index: name, value });
const send = (name, more = {}) =>
  event(name, { ...view.at, ...(usesOwn() ? { own: true } : {}), ...more });
const own = makeOwnText(() => paint());
const room = makeRoom({
  post: event,
  here: () => (step() && !isSaid() ? view.at : null),
  text: () => own.text(),
  asks: () => Boolean(step()?.predict),
  right: () => rightText(),
  go: followed,
  seated: () => paint(),
  looked,
  quizzed: (look, again) => again ? quiz.again(look) : quiz.asked(look),
});
const homework = makeHomework({ post: event });
const quiz = makeQuiz({ post: event, seat: () => room.seat() });

function body(name, on) {
  if (document.body.classList.contains(name) === on) return;
  document.body.classList.toggle(name, on);
  say("look", name);
}

/** Cover the results, or uncover what this strip has covered. */
function veil(on) {
  if (!on && !view.veiled) return;
  view.veiled = on;
  body("veiled", on);
}

/**
 * Open a step of a lesson; the page follows when Python has set it up. The focus goes along, except
 * where nobody asked for it.
 */
function open(lesson, number, { asked = true } = {}) {
  body("lessons", true);
  if (!room.follows()) own.bare(false);
  Object.assign(view, { seen: "", taken: false, voted: null, asked: false });
  stand({ lesson, step: number });
  if (!isSaid()) keep({ at: view.at, places: { ...kept().places, [lesson]: number } });
  paint("title", asked);
  send("open", onText());
  if (!isSaid()) room.moved();
  say("carried");
}

/** Where this page stands: at a step, of which nothing is known yet, or at none. */
function stand(at) {
  Object.assign(view, { at, reply: null, told: null });
  arrange();
}

/** A link brought a step back with its screen: nothing is set up anew, the check only looks. */
function take(lesson, number) {
  own.bare(Boolean(state.reading?.example));
  view.taken = true;
  stand({ lesson, step: number });
  body("lessons", true);
  if (!isSaid()) keep({ at: view.at });
  paint();
  send("look");
}

/** What a link says of lessons: a step with its screen, a lesson by its name alone, or none. */
function linked({ lesson, lesson_step: number, whole }) {
  const known = lessonOf(lesson);
  if (!known) {
    if (whole && view.at) shut();
    return;
  }
  const at = Math.min(Math.max(Math.trunc(Number(number)) || 0, 0), known.steps.length - 1);
  if (whole) return take(lesson, at);
  open(lesson, at);
}

/** What the page covers and opens for the step in hand; for none, as it was. */
function arrange() {
  const now = view.told ? null : step();
  body("guessing", step()?.predict === "chips");
  // a step by hand whose numbers come on the bench is uncovered with them
  const typed = view.told && step().act.length && !state.reading?.saved;
  body("by-hand", Boolean(step()?.byhand && !typed));
  document.body.classList.toggle("marking", now?.predict === "mark");
  veil(Boolean(now?.veil) && now.predict !== "chips"); // the chips' panel covers by itself
  if (step()) return;
  pointAt([]);
  putAway("");
}

/** The fold that an earlier step opened makes way for that of this one. */
function putAway(now) {
  const before = view.fold && view.fold !== now ? document.getElementById(view.fold) : null;
  if (before instanceof HTMLDetailsElement) before.open = false;
  view.fold = now;
}

function shut() {
  stand(null);
  keep({ at: null });
  body("lessons", false);
  paint();
  say("carried");
}

function leave() {
  room.alone();
  shut();
  document.getElementById("switch-lessons")?.focus();
}

/** The list of lessons. */
function toList() {
  stand(null);
  keep({ at: null });
  paint();
}

/** The class was led to a step: this page goes there too. */
function followed({ lesson, step: number }, text) {
  if (!lessonOf(lesson)?.steps[number]) return;
  own.follow(text);
  open(lesson, number, { asked: false });
}

/** Something of the class has changed: once the answer may be seen, this page sees it too. */
function looked() {
  if (!room.revealed() || view.told || view.asked || !view.reply || view.reply.pending) return;
  if (!step()?.predict || !view.reply.holds) return;
  view.asked = true;
  answer(view.voted ? view.guess : null);
}

/** The text of the right option, once this page has been told. */
function rightText() {
  const options = [...step()?.options ?? [], ...view.reply?.options ?? []];
  return options.find(([key]) => key === view.told?.answer)?.[1] ?? null;
}

/** A guess: to the class, where it waits for it; else it is answered at once. */
function commit(guess) {
  const seat = room.pass();
  if (!seat) return answer(guess);
  view.guess = guess;
  send("guess", { guess, room: seat });
}

function answer(guess) {
  const chips = step().predict === "chips";
  view.guess = guess;
  view.yours = chips ? chipSentence() : "";
  if (chips) bus.dispatchEvent(new Event("compare"));
  remember(view.at, chips ? chipsPut() : guess);
  send("guess", { guess });
}

/** What was guessed before stands again: one comes back to a step as one has left it. */
function again() {
  const { at, reply } = view;
  const now = step();
  if (!now?.predict || reply.pending || view.told || isSaid()) return;
  const before = guessed(at);
  if (!reply.holds) {
    if (before === undefined) remember(at, UNASKED);
  } else if (!room.pass() && !view.asked && before !== undefined && before !== UNASKED) {
    view.asked = true;
    if (now.predict === "chips") putChips(before);
    answer(now.predict === "chips" ? null : before);
  }
}

/** Whether an answer is about the step in hand. */
const isHere = ({ lesson, step: number }) => lesson === view.at?.lesson && number === view.at.step;

function told(data) {
  if (!isHere(data)) return;
  view.told = { ...data, yours: view.yours || data.yours };
  room.draw();
  arrange();
  light();
  paint("feedback");
  reveal();
}

/** What the step speaks of is made, and brought into sight. */
function reveal() {
  const now = step();
  const still = () => step() === now && (Boolean(view.told) || !now.predict);
  const filled = (value) =>
    value && value.replace(FACT, (name) => view.told?.facts[name.slice(1, -1)] ?? name);
  const acts = now.act.filter(([, value]) => value !== null || !state.reading?.saved);
  const list = acts.map(([at, value]) => [at, filled(value)]);
  act(list, still, () => requestAnimationFrame(showLit));
}

/** The class has counted the guess; it may be changed until the answer is shown. */
function voted(data) {
  if (!isHere(data)) return;
  view.voted = data.label;
  paint("voted");
  room.soon();
}

/** Whether a part shows what is right: chips do, once they are compared with the reader. */
const tells = (name) => name === "chips" ? view.yours : !["question", "paragraph"].includes(name);

/** Point at the part in question; once it is answered at the evidence, and nothing stands back. */
function light() {
  const { highlight, view: chapter, byhand, predict, open: fold } = step();
  const open = Boolean(view.told) || !predict;
  if (open && fold) return pointAt([`#${chapter}-${fold}`], !view.told);
  const asked = highlight.filter((name) => !open || tells(name));
  // who guesses has the question in sight; chapter 8 reads a passage that nobody asks about
  if (!open && chapter !== "spanbert" && !asked.includes("chips")) asked.unshift("question");
  const parts = asked.length ? asked : ["picture"];
  const at = (name) => view.contents.parts[name].replaceAll("&", `#picture-${chapter}`);
  pointAt(byhand ? view.told ? ["#bench"] : [] : parts.map(at), !view.told);
}

/** Python has set the page up, or looked at it again. */
function replied(data) {
  if (!isHere(data)) return;
  const first = !view.reply;
  view.reply = data;
  view.seen = shown();
  if (first && !view.taken) {
    const { view: chapter, open: fold } = step();
    say("go", chapter);
    putAway(fold ? `${chapter}-${fold}` : "");
    requestAnimationFrame(() => chapterStep(40));
    if (!step().predict && data.holds) reveal();
  }
  if (first) light();
  view.taken = false;
  if (data.pending) send("look");
  paint();
  looked();
  again();
}

/** The chapter's own step and fold, which stand once its picture is drawn. */
function chapterStep(tries) {
  const now = step();
  if (!now || !view.reply) return;
  const tab = now.step && document.getElementById(`${now.view}-step-${now.step}`);
  const fold = now.open && document.getElementById(`${now.view}-${now.open}`);
  const waits = (now.step && !tab) || (now.open && !fold);
  if (tab && tab.getAttribute("aria-pressed") !== "true") tab.click();
  if (fold instanceof HTMLDetailsElement) fold.open = true;
  if (waits && tries) setTimeout(() => chapterStep(tries - 1), 100);
  else requestAnimationFrame(showLit);
}

const texts = () =>
  state.reading
    ? [state.reading.reader, state.reading.question, state.reading.context].join("\u0001")
    : "";

/** What a step that asks nothing says, it says of the threshold in use. */
const shown = () => step() && !step().predict ? `${texts()} ${state.record?.threshold}` : texts();

/** Another text, reader or threshold came: what the check finds, or the list offers, may differ. */
function reread() {
  if (view.seen === shown()) return;
  if (!view.at) paint();
  else if (view.reply && !step()?.byhand) send("look");
  else return;
  view.seen = shown();
}

// Drawing

const FOCUS = { title: ".strip-title", feedback: ".strip-feedback", voted: ".strip-voted" };

function paint(focus = "title", take = false) {
  const { root } = view;
  if (!root || !document.body.classList.contains("lessons")) {
    root?.replaceChildren();
    return;
  }
  const held = take || root.contains(document.activeElement) || focus === "feedback";
  room.draw();
  root.replaceChildren(
    el(
      "aside.lesson-strip[aria-label=Lessons]",
      { dataset: { ready: Boolean(view.reply), asks: step()?.predict ?? "" }, onkeydown: arrows },
      room.bar,
      view.at ? (view.at.step < here().steps.length ? page() : ending()) : list(),
    ),
  );
  if (!held) return;
  const target = root.querySelector(FOCUS[focus]);
  target?.focus({ preventScroll: true });
  target?.scrollIntoView({ block: "nearest" });
}

/** The lesson's own text, read by the bundled reader. */
function restore() {
  Object.assign(view, { reply: null, told: null });
  own.bare(true);
  paint();
  send("restore");
  room.moved();
}

/** Whether the step in hand is read on another text than the lesson's; "Said, and so" never is. */
const usesOwn = () => Boolean(own.text() && step() && !isSaid());

/** The text that a step is opened on, as Python takes it: with its words, or as that of the class. */
function onText() {
  if (!usesOwn()) return {};
  const text = own.text();
  return typeof text === "string" ? { room: room.seat() } : { own: text };
}

function page() {
  const [lesson, now, { reply }] = [here(), step(), view];
  const above = isSaid()
    ? "Said, and so"
    : `Lesson ${course().indexOf(lesson) + 1}, step ${view.at.step + 1} of ${lesson.steps.length}`;
  return [
    head(now.title, above, leave),
    onWhich(now),
    el("p.strip-text", emphasised(reply?.text ?? now.text.replaceAll(FACT, "…"))),
    reply
      ? [note(reply, restore, usesOwn()), asks()]
      : el("p.role-quiet[role=status]", "A moment."),
    now.source ? el("p.strip-source", now.source) : null,
    state.reading?.saved && (view.told ? now.act.length : !now.predict && !reply?.decides)
      ? el("p.strip-source", needsPage(PRESSED))
      : null,
    reply?.holds === false ? null : room.board,
    view.told ? feedback(view.told) : null,
    navigation(),
    isSaid()
      ? null
      : quiet("print a worksheet of this lesson", () => send("worksheet", onText()), "on-paper"),
  ];
}

/** Says that the text is another one than that of the step before, one's own, or the class's. */
function onWhich({ other, byhand }) {
  const another = other && !isSaid() ? `Another text: ${other}.` : "";
  const whose = typeof own.text() === "string" ? "your class’s" : "your";
  const says = usesOwn() ? byhand ? "" : `On ${whose} text.` : another;
  return says && !view.reply?.foreign ? el("p.strip-source.strip-other", says) : null;
}

function asks() {
  const { reply, told: answered } = view;
  const now = step();
  if (!now.predict) {
    return reply.pending ? el("p.role-quiet", "The reader is asked: a moment.") : [
      reply.holds && reply.decides ? el("p.strip-decides", glued(reply.decides)) : null,
      reply.reveal ? el("p.strip-reveal", emphasised(reply.reveal)) : null,
    ];
  }
  if (answered) return chosen([...now.options, ...reply.options], answered.answer, view.guess);
  if (!reply.holds) return null;
  if (reply.pending) return el("p.role-quiet", "The reader is asked: a moment.");
  if (room.leads()) return led(now, reply);
  const mine = view.voted ?? room.mine();
  return el(
    "div.strip-asks",
    mine === null ? null : el(
      "p.strip-voted[tabindex=-1][role=status]",
      "Your guess: ",
      el("bdi", mine),
      el("span.role-quiet", " (you can change it until the reveal)"),
    ),
    form(now, reply.options, commit, mine),
    button("I don’t know, show me", () => commit(null), { class: "plain show-me" }),
  );
}

/** What a class sees of a question: the teacher's own page shows it and waits. */
const led = (now, reply) => [
  el("div.led", chosen([...now.options, ...reply.options])),
  el("p.role-quiet.strip-text", "Your class guesses on its own pages."),
];

function navigation() {
  const { at } = view;
  const last = at.step + 1 >= here().steps.length;
  if (isSaid()) {
    return el("div.strip-nav", button("All statements", () => openSaid()));
  }
  if (room.follows()) return null;
  return el(
    "div.strip-nav",
    button("Back", back, { disabled: at.step === 0, class: "strip-button back" }),
    button(last ? "Finish" : "Next", next, { class: "strip-button next filled" }),
  );
}

function back() {
  if (view.at && view.at.step > 0 && !room.follows()) open(view.at.lesson, view.at.step - 1);
}

function next() {
  const { at } = view;
  if (!at || at.step >= here().steps.length || room.follows()) return;
  if (at.step + 1 < here().steps.length) {
    open(at.lesson, at.step + 1);
    return;
  }
  const done = skipped(here()).length ? kept().done : [...kept().done, at.lesson];
  keep({ at: null, done: [...new Set(done)], places: { ...kept().places, [at.lesson]: 0 } });
  stand({ ...at, step: at.step + 1 });
  paint();
}

/** The steps of a lesson that ask and were not answered, not even by "show me". */
const skipped = ({ id, steps }) =>
  [...steps.keys()].filter((k) =>
    steps[k].predict && guessed({ lesson: id, step: k }) === undefined
  );

/** What is left to be answered, before a lesson is done. */
function left(lesson, open) {
  return [
    el("p.strip-text", "These steps are still to be answered:"),
    el(
      "div.strip-choices",
      skipped(lesson).map((k) =>
        button(`${k + 1}. ${lesson.steps[k].title}`, () => open(lesson.id, k))
      ),
    ),
  ];
}

function ending() {
  const lesson = here();
  const lacks = skipped(lesson).length > 0;
  const all = course();
  const after = all[all.findIndex(({ id }) => id === lesson.id) + 1];
  return [
    head(lacks ? "Not done yet" : "Done", lesson.title, leave),
    lacks ? left(lesson, open) : farewell(lesson.wrong),
    el(
      "div.strip-nav",
      button("All lessons", toList, { class: "strip-button to-list" }),
      after
        ? button(`Next: ${after.title}`, () => open(after.id, 0), {
          class: "strip-button next filled",
        })
        : null,
    ),
  ];
}

function list() {
  return [
    head("Lessons", "a few minutes each", leave),
    view.contents.rooms ? room.doors() : null,
    lessonList(course(), new Set(kept().done), kept().places, open),
    lessonOf(view.contents.said) ? quiet("Said, and so: what texts get wrong", openSaid) : null,
    room.follows() ? null : own.choice(),
    view.contents.faults.map((fault) =>
      el("p.strip-wrong", "A lesson is left out: ", el("bdi", fault))
    ),
    quiet("Homework: ten exercises", homework.open),
    quiet("Quiz: nine questions", quiz.open),
    quiet("For teachers: plans of an hour", () => event("task_open", { what: "plans" })),
  ];
}

function openSaid() {
  const { id, steps } = lessonOf(view.contents.said);
  showSaid(steps, (number) => open(id, number));
}

function arrows(event) {
  if (event.target.closest("input, textarea, select") || !view.at || isSaid()) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const go = { ArrowRight: next, ArrowLeft: back }[event.key];
  if (!go) return;
  event.preventDefault();
  go();
}

/** The switch of the header was pressed: show the list, or leave. */
function switched() {
  if (document.body.classList.contains("lessons")) paint();
  else if (view.at) leave();
  else paint();
}

function start(data) {
  view.contents = data;
  hear("look", (name) => {
    if (name === "lessons") switched();
  });
  hear("lesson", ({ lesson, step: number }) => open(lesson, number));
  hear("reading", reread);
  hear("selection", reread);
  carry("lesson", () => view.at?.lesson ?? null);
  carry("lesson_step", () => view.at?.step ?? null);
  hearLink(linked);
  own.start(data.text);
  explain(data.terms, course());
  if (data.rooms && room.resume()) body("lessons", true);
  const before = kept();
  const known = before.at && lessonOf(before.at.lesson);
  const at = known ? Math.min(before.at?.step ?? 0, known.steps.length - 1) : 0;
  let resumed = !known || came || !reloaded();
  hear("reading", () => {
    if (resumed || state.reading?.page?.lesson) return;
    resumed = true;
    open(known.id, at, { asked: false });
  });
  if (came || (known && reloaded())) return;
  const begin = (lesson, number) => () => open(lesson.id, number);
  if (known && course().includes(known)) {
    show(goOn(known.title, course().indexOf(known) + 1, at + 1, begin(known, at)));
  } else if (!before.declined && !before.done.length) {
    show(offer(course()[0], begin(course()[0], 0)));
  }
}

/** A line in the title's, once the header is mounted in its own time. */
function show(line) {
  const title = document.querySelector(".masthead h1");
  if (title) title.after(line);
  else requestAnimationFrame(() => show(line));
}

/** A reload keeps what is open; a new visit by the plain address opens the chapters. */
const reloaded = () => {
  const [visit] = performance.getEntriesByType("navigation");
  return visit instanceof PerformanceNavigationTiming && visit.type !== "navigate";
};

/** What Python answers, by its name. */
const HEARD = {
  reply: replied,
  told,
  voted,
  seat: room.sit,
  pin: room.opened,
  results: showResults,
  homework: homework.drawn,
  checked: homework.checked,
  quiz: quiz.drawn,
  plans: (data) => showPlans(data),
  marked: quiz.marked,
  worksheet: (data) => printOnly(lessonSheet(data)),
};

export function updateLessons(root, data, trigger) {
  Object.assign(view, { root, trigger });
  if (data.lessons && !view.contents) start(data);
  for (const [name, hear] of Object.entries(HEARD)) if (data[name]) hear(data[name]);
}
