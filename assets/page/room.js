// A class: this page leads a room, follows one, or neither. What it may know is asked every 2 s.

import { el } from "./dom.js";
import { BASE, current, isLost, PATIENCE, post, sentenceOf } from "./store.js";
import { remember, remembered } from "./tools.js";

const SEAT = "room", OWN = "own", EVERY = 2000, SETTLED = 300;

/**
 * The page's part in a class. `quiet(text, act)` makes a plain button; `page` is what the panel does:
 * place() -> [lesson, step] or null, busy(): whether that is still coming, follow(look, whether this
 * page sat down anew, whether this is the newest look) -> whether it went, redraw(what went wrong).
 */
export function makeRoom(quiet, page) {
  /** @type {any} {code, key, teacher} */
  let seat = null;
  let look = null, version = "", timer = 0, turn = 0, wide = false, lost = false;
  /** @type {any} the request to enter a room; `untold`: the room has not heard of the newest move */
  let entering = null, soon = 0, telling = false, untold = false;
  const way = el("details");

  const there = () => !!seat && !look?.gone;
  const leads = () => there() && seat.teacher;
  const follows = () => there() && !seat.teacher && here();
  const here = () => !!page.place() && String(page.place()) === String(look?.place);
  const act = (name, more = {}) => post("room", { ...seat, act: name, ...more });

  function sit(next) {
    seat = next, look = null, version = "";
    remember(SEAT, seat);
    if (seat?.teacher === false) remember(OWN, seat.key);
    ask();
  }

  /** Run what asks the server; a refusal is one sentence. */
  const tried = (go) => go().then(() => page.redraw(""), (fault) => page.redraw(sentenceOf(fault)));

  async function ask() {
    clearTimeout(timer);
    const mine = ++turn, newest = () => mine === turn; // an older reply tells nothing
    let away = false;
    if (!seat) return;
    try {
      const address = new URL(`room?code=${encodeURIComponent(seat.code)}`, BASE);
      const headers = { "x-room-key": seat.key };
      const signal = AbortSignal.timeout(PATIENCE);
      const reply = await fetch(address, { headers, cache: "no-store", signal });
      const found = reply.ok ? await reply.json() : null;
      if (found && newest()) await heard(found);
    } catch (fault) { // the server is away: it may come back
      if (!isLost(fault)) throw fault;
      away = true;
    }
    if (!newest()) return;
    if (away !== lost) lost = away, page.redraw();
    timer = setTimeout(ask, EVERY);
  }

  async function heard(found) {
    const before = JSON.stringify(look), { code, teacher } = seat;
    const newer = `${found.version}/${found.revealed}`;
    look = found;
    if (found.closed) {
      sit(null);
      return page.redraw(`The room ${code} is closed.`);
    }
    if (found.gone) { // the server was started anew
      if (!teacher && await act("join").catch(() => null)) version = "";
    } else if (teacher) {
      if (untold) moved();
      if (!way.firstChild) await invite().catch(() => null);
    } else if (newer !== version) {
      const anew = !version, newest = () => version === newer;
      version = newer;
      page.follow(found, anew, newest).then((went) => went || !newest() || (version = ""));
    }
    if (JSON.stringify(look) !== before) page.redraw();
  }

  const showing = () => ({ place: page.place(), state: current() });

  /** Tell what the teacher's page shows: one at a time, so that the newest comes last. */
  async function move() {
    if (page.busy() || telling || !leads()) return moved();
    telling = true;
    untold = await act("move", showing()).then(() => false, () => true);
    telling = false;
    if (!untold) ask();
  }

  /** The teacher's page shows something else; the newest is told, once it has settled. */
  function moved() {
    clearTimeout(soon);
    if (leads()) soon = setTimeout(move, SETTLED);
  }

  // ---- drawing

  const p = (...parts) => el("p", {}, ...parts), bold = (text) => el("b", {}, text);
  const name = () => el("b", { class: "code" }, seat.code);
  const press = (text, go) => quiet(text, () => tried(go));
  const entered = async (teacher, name, more) => {
    const next = await post("room", { act: name, ...more });
    way.replaceChildren();
    sit({ ...next, teacher });
  };
  const enter = (...how) => entering ??= entered(...how).finally(() => entering = null);
  const open = (key) => enter(true, "open", { key, ...showing() });
  const join = (code) => enter(false, "join", { code, key: remembered(OWN) ?? "" });
  const leaveButton = (text) => press(text, leave);

  /** Ask nothing meanwhile: a reply would say that this page is not in the room, and it would join. */
  async function leave() {
    const was = seat, left = act("leave");
    sit(null);
    await left.catch((fault) => {
      sit(was);
      throw fault;
    });
  }

  /** Who is in which room; `whole`: with the way to join it. */
  function bar(whole) {
    if (!seat) return null;
    const line = el("p", { role: "status" }, "Room ", name()), more = [], { key } = seat;
    if (look?.gone) {
      const why = "the server was started anew, or several processes serve this page. ";
      line.append(` must be opened again: ${why}`);
      if (seat.teacher) line.append(press("Open it again", () => open(key)));
      else line.append("You can go on meanwhile. ", leaveButton("Leave"));
    } else if (seat.teacher) {
      const guesses = look?.guesses === 1 ? "1 guess" : `${look?.guesses} guesses`;
      if (look) line.append(` · ${look.here} here${look.place ? `, ${guesses}` : ""}`);
      if (whole !== wide) way.open = wide = whole;
      more.push(way, whole ? p(leaveButton("Close the room")) : null);
    } else line.append(" · your teacher leads. ", leaveButton("Leave"));
    if (lost) line.append(" The server does not answer; asking again …");
    return el("div", { class: "room" }, line, more);
  }

  /** Say how others join. */
  async function invite() {
    const base = location.origin + location.pathname;
    const { address, alone, qr } = await act("invite", { base });
    const alt = `QR code: ${address} with the code ${seat.code}`;
    const start = el("code", {}, "spanlight --lan");
    const inner = alone
      ? p("Only this computer reaches ", bold(address), ". To let a class in, start ", start)
      : el(
        "div",
        { class: "invite" },
        el("img", { src: qr, alt }),
        p("Open ", bold(address), ", press Lessons, type ", name()),
      );
    way.replaceChildren(el("summary", {}, "How to join"), inner);
  }

  return {
    bar,
    leads,
    follows,
    moved,
    ask,
    /** Stand where the teacher stands, though this page went elsewhere. */
    catchUp: () => (version = "", ask()),
    join: (code) => tried(() => join(code)),
    open: () => tried(open),
    show: (on) => tried(async () => (await act("show", { on }), await ask())),
    seated: () => !!seat,
    seat: () => there() ? seat : undefined,
    look: () => here() ? look : null,
    waits: () => follows() && !look.revealed,
    resume() {
      const asked = new URLSearchParams(location.search).get("room"), before = remembered(SEAT);
      if (before && (!asked || before.code === asked.toUpperCase())) sit(before);
      else if (asked) tried(() => join(asked));
      return !!(before || asked);
    },
  };
}
