// A class: this page leads a room through a lesson, or follows one. What it may know of the room is
// asked for every two seconds; what it does goes to Python like every other event.

import { refuse } from "../shared/cause.js";
import { form, textBox } from "../shared/controls.js";
import { el, focusIn, put } from "../shared/dom.js";
import { keepText, readJson, storage } from "../shared/storage.js";
import { close, dialogButton, showDialog } from "./dialog.js";
import { button, quiet } from "./guess_forms.js";

const EVERY = 2000;
const MOMENTS = ["before", "after"];
const PIN = "Type this as the room code on the other device; it holds once: ";
const NAME = "spanlight.room";

/** @typedef {{lesson: string, step: number}} Place */
/** @typedef {{code: string, key: string, teacher: boolean, follow: boolean}} Seat */

/**
 * What a stored text says of a seat; what another program may have left there counts as nothing.
 * @param {string | null | undefined} text
 * @returns {Seat | null}
 */
export function parseSeat(text) {
  const { code, key, teacher, follow } = readJson(text) ?? {};
  if (typeof code !== "string" || typeof key !== "string") return null;
  return { code, key, teacher: teacher === true, follow: follow !== false };
}

/**
 * Bars with their numbers: how many pages chose what.
 * @param {[string, number][]} bars
 * @param {string | null} right the label that is right, once it may be said
 * @param {string | null} mine one's own
 */
function tally(bars, right, mine) {
  if (!bars.length) return el("p.role-quiet", "No guess yet.");
  const most = Math.max(1, ...bars.map(([, count]) => count));
  return el(
    "ul.tally",
    { "aria-label": "Guesses of the class" },
    bars.map(([label, count]) =>
      el(
        "li",
        { class: label === right ? "is-right" : null },
        el("span.tally-label", el("bdi", label), el("span.role-quiet", marks(label, right, mine))),
        el("span.tally-count", count),
        el("span.tally-bar[aria-hidden=true]", { style: { width: `${(100 * count) / most}%` } }),
      )
    ),
  );
}

const marks = (label, right, mine) => {
  const found = [label === right && "right", label === mine && "your guess"].filter(Boolean);
  return found.length ? ` (${found.join(", ")})` : "";
};
const many = (n, one, more) => `${n} ${n === 1 ? one : more}`;

/**
 * The page's part in a class. `post(name, value)` sends an event; `here()` is the step that is open,
 * `asks()` whether it asks for a guess, `right()` the right option once it is told; `text()` the text of one's own; `go(place, text)` opens a step on the class's. `seated()` is called when the part
 * changes, `looked()` when something of the class may have, `quizzed(look, again)` when it may be asked
 * the quiz, or is asked for it again.
 * @param {{post: (name: string, value: any) => void, here: () => Place | null,
 *   asks: () => boolean, right: () => string | null, go: (place: Place, text: string) => void, seated: () => void,
 *   text: () => import("./own_text.js").OwnText,
 *   looked: () => void, quizzed: (look: any, again?: boolean) => void}} strip
 */
export function makeRoom({ post, here, text, asks, right, go, seated, looked, quizzed }) {
  /** @type {{seat: Seat | null, look: any, timer: any, closed: string, drawn: string, pin: string}} */
  const room = { seat: null, look: null, timer: 0, closed: "", drawn: "", pin: "" };
  const bar = el("div.room-bar");
  const board = el("div.room-board");

  /** A seat belongs to one tab, and outlives a reload of it. */
  const keep = () => keepText("sessionStorage", NAME, JSON.stringify(room.seat));
  const send = (name, more = {}) => {
    const { code, key } = room.seat ?? {};
    post(name, { code, key, ...more });
    soon(200);
  };
  const same = (place) => place && place.lesson === here()?.lesson && place.step === here()?.step;
  const leads = () => Boolean(room.seat?.teacher);
  const follows = () => Boolean(room.seat && !room.seat.teacher && room.seat.follow);
  /** Whether the page reads the text that the class was last heard to read. */
  const reads = () => leads() ? !text() === !room.look?.text : (text() ?? "") === room.look?.text;
  /** The class stands where this page stands, and the answer is still covered. */
  const waits = () => Boolean(room.seat && same(room.look?.place) && !room.look.revealed);

  function sit(seat) {
    Object.assign(room, { seat, look: null, closed: "", pin: "" });
    keep();
    seated();
    if (!seat) return;
    if (leads() && here()) moved();
    ask();
  }

  /** Ask again in so many milliseconds. */
  function soon(after) {
    clearTimeout(room.timer);
    room.timer = setTimeout(ask, after);
  }

  async function ask() {
    clearTimeout(room.timer);
    const { seat } = room;
    if (!seat) return;
    const address = new URL(`room?code=${encodeURIComponent(seat.code)}`, document.baseURI);
    try {
      const reply = await fetch(address, {
        headers: { "x-room-key": seat.key },
        cache: "no-store",
      });
      if (room.seat === seat && reply.ok) heard(await reply.json());
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // the server is away: it may come back
    }
    if (room.seat === seat) soon(EVERY);
  }

  function heard(look) {
    if (look.gone) {
      const { code } = room.seat ?? {};
      sit(null);
      room.closed = `The room ${code} is closed.`;
    } else {
      room.look = look;
      if (follows() && look.place && !(same(look.place) && reads())) go(look.place, look.text);
      if (room.seat && !room.seat.teacher) quizzed(look.quiz);
    }
    draw();
    looked();
  }

  function moved() {
    const place = here();
    if (leads() && place) send("room_move", { ...place, own: text() });
  }

  function set(follow) {
    if (!room.seat) return;
    room.seat = { ...room.seat, follow };
    keep();
    seated();
    if (follow) ask();
  }

  function leave() {
    send("room_leave");
    sit(null);
  }

  /** The teacher's page ends the room: what was handed in would be gone, so it asks first. */
  function end() {
    if (!room.look?.handed) return leave();
    showDialog(
      "End the room?",
      el("p", "What your class handed in goes with it. “results” shows it, and saves it as files."),
      el(
        "p.task-form",
        dialogButton("results", () => send("room_results")),
        dialogButton("End the room", () => {
          close();
          leave();
        }),
      ),
    );
  }

  // Drawing: only what has changed, so that the focus stays where it is

  function draw() {
    const { seat, look, closed } = room;
    const state = JSON.stringify([seat, look, closed, room.pin, here(), right()]);
    if (state === room.drawn) return;
    room.drawn = state;
    const held = (focusIn(bar) ?? focusIn(board))?.dataset.act;
    put(bar, seat ? (leads() ? teacherBar() : studentBar()) : closedBar());
    put(board, seat && asks() && same(look?.place) ? onBoard() : null);
    if (!held) return;
    const places = [bar, board].map((node) => node.querySelector(`[data-act=${held}]`));
    /** @type {HTMLElement | null} */
    (places.find(Boolean) ?? bar.querySelector("button"))?.focus();
  }

  const act = (name, text, press) =>
    button(text, press, { class: "plain room-act", dataset: { act: name } });

  const closedBar = () => room.closed && el("p.room-said[role=status]", room.closed);

  const title = () => [el("span.room-name", "Room "), el("strong.room-code", room.seat?.code)];

  function teacherBar() {
    const { look } = room;
    return [
      el("p.room-line", title(), act("leave", "close the room", end)),
      el(
        "p.room-count",
        look ? `${many(look.here, "page", "pages")} here` : "A moment.",
        look && asks() && same(look.place) ? `, ${many(look.committed, "guess", "guesses")}` : "",
      ),
      el(
        "p.room-quiz",
        MOMENTS.map((moment, k) => asksQuiz(moment, look?.quiz?.handed?.[k] ?? 0)),
        act("results", "results", () => send("room_results")),
        act("pin", "on a second device", () => send("room_pin")),
      ),
      room.pin && el("p.room-said[role=status]", PIN, el("strong", room.pin)),
    ];
  }

  /** Ask the quiz, or end it; and how many have handed in. */
  function asksQuiz(moment, handed) {
    const on = room.look?.quiz?.moment === moment;
    const count = handed ? ` (${handed})` : "";
    return act(
      `quiz-${moment}`,
      on ? `end the quiz${count}` : `quiz ${moment}${count}`,
      () => send("room_quiz", { moment: on ? null : moment }),
    );
  }

  function studentBar() {
    const { seat, look } = room;
    const away = look?.place && !same(look.place);
    const quiz = look?.quiz?.moment && !look.quiz.done;
    return [
      el("p.room-line", title(), act("leave", "leave the room", leave)),
      el(
        "p.room-count[role=status]",
        quiz
          ? "Your teacher asks the quiz."
          : !look?.place
          ? "Your teacher has not opened a step yet."
          : seat?.follow
          ? "Your teacher leads."
          : away
          ? "Your teacher is at another step."
          : "You go on alone.",
        quiz ? act("quiz", "open the quiz", () => quizzed(look.quiz, true)) : null,
        act("follow", seat?.follow ? "go on alone" : "follow the class", () => set(!seat?.follow)),
      ),
    ];
  }

  /** What stands below the question: bars, once they may be seen, and the teacher's buttons. */
  function onBoard() {
    const { look } = room;
    const shown = look.bars && tally(look.bars, look.revealed ? right() : null, look.mine);
    if (!leads() || look.revealed) return shown;
    return [
      shown,
      el(
        "div.room-acts",
        button(
          look.bars ? "Cover the bars" : "Show the bars",
          () => send("room_show", { on: !look.bars }),
          { dataset: { act: "show" } },
        ),
        button("Reveal", () => send("room_reveal"), {
          class: "strip-button filled",
          dataset: { act: "reveal" },
        }),
      ),
    ];
  }

  /** Above the list of lessons: join a room, or open one. */
  function doors() {
    if (room.seat) return null;
    const field = textBox("input.number-field.room-field", {
      "aria-label": "Room code",
      autocapitalize: "characters",
      placeholder: "room code",
    });
    return el(
      "div.room-doors",
      form(
        "form.number-form",
        () => {
          if (field.value.trim()) post("room_join", { code: field.value });
          else refuse(field, "Type the room’s code, as the teacher’s page shows it.");
        },
        field,
        el("button.strip-button[type=submit]", "Join your class"),
      ),
      quiet("Open a room for your class", () => post("room_open", true), "room-open"),
    );
  }

  /** The seat that this tab had before it was loaded anew; true where there was one. */
  function resume() {
    const before = parseSeat(storage("sessionStorage")?.getItem(NAME));
    if (before) sit(before);
    return Boolean(before);
  }

  return {
    bar,
    board,
    doors,
    draw,
    leads,
    follows,
    waits,
    moved,
    resume,
    sit: (seat) => sit({ ...seat, follow: true }),
    opened: (pin) => {
      room.pin = pin;
      draw();
    },
    seat: () => room.seat && { code: room.seat.code, key: room.seat.key },
    alone: () => follows() && set(false),
    revealed: () => Boolean(room.seat && same(room.look?.place) && reads() && room.look.revealed),
    mine: () => (waits() ? room.look.mine : null),
    pass: () => (waits() && !leads() ? { code: room.seat?.code, key: room.seat?.key } : null),
    soon: () => room.seat && soon(200),
  };
}
