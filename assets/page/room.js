// A class: this page leads a room, follows one, or neither. What it may know is asked every 2 s.

import { el } from "./dom.js";
import { BASE, current } from "./store.js";

const SEAT = "spanlight.room", EVERY = 2000, SETTLED = 300;

/**
 * The page's part in a class. `post`, `remembered`, `sentenceOf`, `press`: see lessons.js; `page()` is what the
 * panel does: place() -> {lesson, step, asks} or null, follow(look), redraw().
 */
export function makeRoom({ post, remembered, sentenceOf, press, page }) {
  /** @type {any} {code, key, teacher} */
  let seat = null;
  let look = null, invited = null, follows = true, unfolded = false;
  let wrong = "", version = "", timer = 0, soon = 0;

  const there = () => !!seat && !look?.gone;
  const leads = () => there() && seat.teacher;
  const newer = (found) => `${found.version}/${found.revealed}`;
  const here = () => {
    const mine = page().place(), [lesson, step] = look?.place ?? [];
    return !!mine && mine.lesson === lesson && mine.step === step;
  };
  const act = (name, more = {}) => post("room", { ...seat, act: name, ...more });

  function sit(next) {
    seat = next, look = null, invited = null, version = "", follows = true;
    remembered(SEAT, seat);
    if (leads()) tried(async () => (await move(), await invite()));
    ask();
  }

  const invite = async () =>
    invited = await act("invite", { base: location.origin + location.pathname });

  /** Run what asks the server; a refusal is one sentence. */
  async function tried(go) {
    wrong = "";
    try {
      await go();
    } catch (refusal) {
      wrong = sentenceOf(refusal);
    }
    page().redraw();
  }

  async function ask() {
    clearTimeout(timer);
    const mine = seat;
    if (!mine) return;
    try {
      const address = new URL(`room?code=${encodeURIComponent(mine.code)}`, BASE);
      const headers = { "x-room-key": mine.key };
      const reply = await fetch(address, { headers, cache: "no-store" });
      if (seat === mine && reply.ok) await heard(await reply.json());
    } catch (fault) { // the server is away: it may come back
      if (!(fault instanceof TypeError || fault instanceof SyntaxError)) throw fault;
    }
    if (seat) timer = setTimeout(ask, EVERY);
  }

  async function heard(found) {
    const before = JSON.stringify(look), { code, teacher } = seat;
    if (found.closed) sit(null), wrong = `The room ${code} is closed.`;
    look = found.closed ? null : found;
    if (found.gone && !found.closed && !teacher) { // the server was started anew
      const again = await post("room", { act: "join", code }).catch(() => null);
      if (again) remembered(SEAT, seat = { ...again, teacher: false }), version = "";
    } else if (!found.gone && !teacher && follows && newer(found) !== version) {
      version = newer(found);
      page().follow(found);
    }
    if (JSON.stringify(look) !== before) page().redraw();
  }

  const move = () => {
    const mine = page().place();
    return act("move", { place: mine && [mine.lesson, mine.step], state: current() });
  };

  /** The teacher's page shows something else; the newest is told, once it has settled. */
  function moved() {
    clearTimeout(soon);
    if (leads()) soon = setTimeout(() => tried(move).then(ask), SETTLED);
  }

  // ---- drawing

  const p = (...parts) => el("p", {}, ...parts), bold = (text) => el("b", {}, text);
  const name = () => el("b", { class: "code" }, seat.code);
  const quiet = (text, go) => press(text, () => tried(go), { class: "plain", "data-focus": text });
  const take = (what, more) => async () =>
    sit({ ...await post("room", { act: what, ...more }), teacher: what === "open" });
  const leave = quiet.bind(null, "Leave", async () => (await act("leave"), sit(null)));

  /** Who is in which room; `whole`: with the way to join it. */
  function bar(whole) {
    const said = wrong ? el("p", { class: "wrong", role: "alert" }, wrong) : null;
    if (!seat) return said;
    const line = el("p", { role: "status" }, "Room ", name()),
      box = el("div", { class: "room" }, line);
    if (look?.gone) {
      line.append(
        " must be opened again: the server was started anew, or several processes serve this page. ",
      );
      if (seat.teacher) line.append(quiet("Open it again", take("open", { key: seat.key })));
      else line.append("You can go on meanwhile. ", leave());
    } else if (seat.teacher) {
      const guesses = look?.guesses === 1 ? "1 guess" : `${look?.guesses} guesses`;
      if (look) line.append(` · ${look.here} here${look.place ? `, ${guesses}` : ""}`);
      const ontoggle = (event) => unfolded = !whole && event.target.open;
      const about = { open: whole || unfolded, ontoggle };
      const way = el("details", about, el("summary", {}, "How to join"), ...invitation());
      box.append(way);
      if (whole) {
        box.append(p(quiet("Close the room", async () => (await act("leave"), sit(null)))));
      }
    } else {
      line.append(follows ? " · your teacher leads. " : " · you go on alone. ");
      const turn = () => (follows = !follows, version = "", ask());
      line.append(quiet(follows ? "Go on alone" : "Follow", turn), " ", leave());
    }
    if (said) box.append(said);
    return box;
  }

  function invitation() {
    if (!invited) return [];
    const { address, alone, qr } = invited;
    const start = el("code", {}, "spanlight --lan");
    if (alone) {
      return [
        p("Only this computer reaches ", bold(address), ". To let a class in, start ", start),
      ];
    }
    const alt = `QR code: ${address} with the code ${seat.code}`;
    const way = p("Open ", bold(address), ", press Lessons, type ", name());
    return [el("div", { class: "invite" }, el("img", { src: qr, alt }), way)];
  }

  /** Guesses in these words: [how many, their share of the most]; null while they are covered. */
  function counted(words) {
    const bars = here() && look?.bars;
    if (!bars) return null;
    const n = bars.find(([label]) => label === words)?.[1] ?? 0;
    return [n, n / Math.max(1, ...bars.map(([, m]) => m))];
  }

  /** Below the question: guesses that are none of the `options`, and the teacher's button. */
  function board(options) {
    if (!here() || !page().place()?.asks) return null;
    const { bars, shown, revealed, mine } = look;
    const bar = ([words, n, right]) => {
      const marks = [right && "right", words === mine && "yours"].filter(Boolean).join(", ");
      const share = el("i", { style: { width: `${100 * (counted(words)?.[1] ?? 0)}%` } });
      const label = el("span", { translate: "no" }, words),
        about = { class: right ? "right" : null };
      return el("li", about, label, el("small", {}, marks), bold(n), share);
    };
    const other = (bars ?? []).filter(([words]) => !options.includes(words));
    const turn = async () => (await act("show", { on: !shown }), ask());
    const button = quiet(shown ? "Hide the guesses" : "Show the guesses", turn);
    const all = bars && !bars.length
      ? p("No guess yet.")
      : el("ul", { class: "bars" }, other.map(bar));
    return el("div", { class: "board" }, all, leads() && !revealed ? button : null);
  }

  /** In the list of lessons: join a room or open one. */
  function doors() {
    if (seat) return null;
    const about = { "aria-label": "Room code", placeholder: "room code", maxlength: 10 };
    const field = el("input", { ...about, type: "text", "data-focus": "room-code" });
    const onsubmit = (event) => {
      event.preventDefault();
      tried(take("join", { code: field.value }));
    };
    const send = el("button", { class: "option" }, "Join your class");
    const href = new URL("teaching", BASE).href;
    const more = p(
      quiet("Open a room", take("open", {})),
      " · ",
      el("a", { href }, "For teachers"),
    );
    return el("div", { class: "doors" }, el("form", { onsubmit }, field, send), more);
  }

  return {
    bar,
    board,
    counted,
    doors,
    leads,
    moved,
    ask,
    seat: () => there() && (leads() || follows) ? seat : undefined,
    follows: () => there() && !leads() && follows && here(),
    waits: () => there() && !leads() && follows && here() && !look.revealed,
    resume() {
      const asked = new URLSearchParams(location.search).get("room"), before = remembered(SEAT);
      if (before && (!asked || before.code === asked.toUpperCase())) sit(before);
      else if (asked) tried(take("join", { code: asked }));
      return !!(before || asked);
    },
  };
}
