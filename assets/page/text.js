// The words as typed, with bars above and below, marks and lines; words select by drag and by keys.

import { el, reachable, said } from "./dom.js";
import { set } from "./store.js";

const LINE = 30;
const FILLS = ["predicted", "right", "masked"];

/** A word with its bars. Its padding is as high as its own bars, so a line is as tall as its tallest. */
function word(b, one, number) {
  const looks = one.looks ?? [];
  const inner = el("span", { class: "t" }, one.t);
  const node = el("span", {
    class: ["word", one.joined && b.dots ? "joined" : "", ...looks].join(" "),
  }, inner);
  const tall = (v) => v && Math.max(b.arrows ? 9 : 2, Math.abs(v) * b.height);
  const most = ([v, , frame = 0]) => Math.max(tall(v), frame * b.height);
  const room = (lane) => most(lane) + (lane[1] ? 18 : 3);
  const up = one.up ? room(one.up) : 0;
  const down = one.down ? room(one.down) : one.under ? 15 : 0;
  if (up) node.style.paddingTop = `${up}px`;
  if (down) node.style.paddingBottom = `${down}px`;
  for (const [lane, role, top] of [["up", b.up, true], ["down", b.down, false]]) {
    if (!one[lane]) continue;
    const [v, label, frame] = one[lane], height = tall(v), outer = most(one[lane]);
    const drawn = b.arrows ? `arrow is-${role} ${v < 0 ? "fall" : "rise"}` : "bar";
    // a lane below hangs from the bottom, under the last line of a long word
    const place = (h) => top ? { top: `${up - h}px` } : { bottom: `${down - h}px` };
    const style = (h) => ({ ...place(h), height: `${h}px` });
    if (frame) node.append(el("i", { class: "track", style: style(frame * b.height) }));
    node.append(el("i", { class: `${drawn} lane-${role}`, style: style(height) }));
    if (label) {
      const unseen = b.unseen?.[lane] ?? (["start", "end"].includes(role) ? role : "");
      const heard = label.startsWith(unseen)
        ? null
        : el("span", { class: "unseen" }, ` ${unseen} `);
      node.append(el("b", { class: `is-${role}`, style: place(outer + 17) }, heard, label));
    }
  }
  if (one.under) {
    node.style.minWidth = `${one.under.length * 6.8 + 8}px`;
    node.append(el("b", { class: "under", style: { bottom: "0" } }, one.under));
  }
  const selects = one.at !== undefined && b.select !== false;
  if (selects || one.sets) {
    node.setAttribute("role", "button");
    node.setAttribute("tabindex", "-1");
    node.setAttribute("data-focus", `${b.key}-${number}`);
    node.setAttribute("aria-pressed", String(looks.includes("boxed")));
    if (one.sets) node.addEventListener("click", () => set(one.sets));
  }
  return node;
}

/** Lines under the words that people marked, each with its count; a line runs on between words.
 * They hang from the middle of a line, where a piece that is no box of its own has its middle too.
 */
function goldLines(b, nodes) {
  const top = (k, less) => `calc(50% + ${LINE / 2 + 18 * k + less}px)`;
  const placed = [], near = 6; // a label takes the room of some pieces
  for (const line of b.lines ?? []) {
    const meets = (one) => one.from <= line.to + near && line.from <= one.to + near;
    let k = 0;
    while (placed.some((one) => one.k === k && meets(one))) k++;
    placed.push({ ...line, k });
    const inside = nodes.filter(({ one }) => touches(one, line.from, line.to));
    for (const [n, { one, node }] of inside.entries()) {
      const room = node.parentNode.style; // the run's: a piece is as high as its letters
      room.paddingBottom = `${Math.max(parseFloat(room.paddingBottom) || 0, 22 + 18 * k)}px`;
      const insetInlineEnd = one.gap && n + 1 < inside.length ? "-6px" : "0";
      const style = { top: top(k, 5), insetInlineEnd };
      node.append(el("i", { class: `marked lane-${line.role}`, style }));
    }
    const last = inside.at(-1)?.node;
    if (!last) continue;
    const style = { top: top(k, -2) };
    last.append(el("b", { class: `marked-by is-${line.role}`, style }, line.text));
  }
}

/** A printed number stays inside the text; of two that touch, the smaller goes: its bar stays. */
function thin(root) {
  const { left, right } = root.getBoundingClientRect();
  for (const e of root.querySelectorAll(".word > b:not(.under)")) {
    e.style.translate = "";
    const r = e.getBoundingClientRect(), by = Math.max(left - r.left, Math.min(0, right - r.right));
    e.style.translate = `${by / (e.currentCSSZoom ?? 1)}px`; // in front of a class pages zoom
    e.classList.toggle("moved", by !== 0);
  }
  const labels = [...root.querySelectorAll("b:not(.marked-by, .under)")];
  const size = (e) => Math.abs(parseFloat(e.textContent.replace(/[^\d.]/g, "")) || 0);
  const kept = [];
  for (const e of labels.sort((x, y) => size(y) - size(x))) {
    const r = e.getBoundingClientRect();
    const covered = kept.some((k) =>
      r.left < k.right + 4 && k.left < r.right + 4 && r.top < k.bottom && k.top < r.bottom
    );
    if (covered) e.style.visibility = "hidden";
    else e.style.visibility = "", kept.push(r);
  }
}

export function text(b) {
  /** @type {{one: any, node: any}[]} */
  const nodes = [];
  const filled = (one, fill) => one?.looks?.includes(fill);
  /** The space after an item, filled where it and the next are. */
  const gap = (one, next) => {
    const fill = FILLS.find((f) => filled(one, f) && filled(next, f));
    return fill ? el("span", { class: `gap ${fill}` }, one.gap) : one.gap;
  };
  const segments = b.segments.map((s) => {
    const row = el("div", { class: s.inline ? "segment inline" : "segment", translate: "no" });
    if (s.name || s.holds.length) {
      const holds = el("span", { class: "holds" }, said(s.holds));
      row.append(el("span", { class: "name" }, s.name, " ", holds));
    }
    const body = el("span", { class: "words", dir: "auto" });
    let run = el("span", { class: "run" }); // the pieces of a word stay together
    for (const [k, one] of s.items.entries()) {
      const node = word(b, one, nodes.length);
      nodes.push({ one, node });
      run.append(node);
      if (one.gap) {
        body.append(run, gap(one, s.items[k + 1]));
        run = el("span", { class: "run" });
      }
    }
    body.append(run);
    if (s.inline) row.prepend(body);
    else row.append(body);
    return row;
  });
  const node = el("div", { class: "text" }, segments);
  goldLines(b, nodes);
  const words = nodes.filter(({ node: w }) => w.hasAttribute("role"));
  const stops = words.map((w) => w.node);
  if (words.length) {
    const keys = words[0].one.sets ? "Enter chooses one" : "Shift takes several, Enter selects";
    node.setAttribute("role", "group");
    node.setAttribute("aria-label", `text: arrows go from word to word, ${keys}`);
    listen(node, words);
  }
  new ResizeObserver(() => thin(node)).observe(node); // a lesson beside it makes it narrow
  document.fonts.ready.then(() => thin(node));
  const mark = ({ selection }) => {
    if (b.select === false || !selection) return;
    for (const { one, node: w } of nodes) {
      const on = touches(one, ...selection);
      w.classList.toggle("selected", on);
      if (w.hasAttribute("role") && !one.sets) w.setAttribute("aria-pressed", String(on));
    }
    reachable(stops, words.findIndex(({ one }) => one.at === selection[0]));
  };
  reachable(stops, words.findIndex(({ one }) => filled(one, "boxed")));
  return { node, mark, redraw: () => thin(node) };
}

const touches = (one, from, to) => from <= one.at && one.at <= to;

/** Drag, Shift, arrows, Enter; a finger's first tap begins a span, its second ends it. */
function listen(root, words) {
  const index = new Map(words.map(({ node }, k) => [node, k]));
  const at = (target) => index.get(target?.closest?.(".word")) ?? -1;
  let from = -1, to = -1, tapped = -1, dragged = false;
  const paint = (on) => words.forEach(({ node }, k) => node.classList.toggle("selected", on(k)));
  const show = () => {
    const [a, z] = [Math.min(from, to), Math.max(from, to)];
    paint((k) => k >= a && k <= z);
  };
  const commit = () => {
    const [a, z] = [words[Math.min(from, to)].one, words[Math.max(from, to)].one];
    if (a.at !== undefined && z.at !== undefined) set({ selection: [a.at, z.at] });
  };
  root.addEventListener("pointerdown", (event) => {
    const k = at(event.target);
    if (k < 0 || words[k].one.at === undefined || words[k].one.sets || event.button) return;
    dragged = event.pointerType === "mouse"; // a pen scrolls as a finger does
    if (!dragged) return;
    from = event.shiftKey && from >= 0 ? from : k;
    to = k;
    event.preventDefault();
    words[k].node.focus({ preventScroll: true });
    show();
    const move = (e) => {
      const m = at(document.elementFromPoint(e.clientX, e.clientY));
      if (m >= 0 && m !== to) to = m, show();
    };
    const end = () => (removeEventListener("pointermove", move), commit());
    addEventListener("pointermove", move);
    addEventListener("pointerup", end, { once: true });
  });
  root.addEventListener("click", (event) => {
    const k = at(event.target), tap = !dragged; // a click itself has a pointer's type in new browsers only
    dragged = false;
    if (k < 0 || words[k].one.sets || !tap) return;
    if (tapped >= 0) from = tapped, to = k, tapped = -1;
    else from = to = tapped = k;
    show();
    commit();
  });
  root.addEventListener("focusout", ({ relatedTarget }) => { // what was not entered goes
    if (words[0].one.sets || root.contains(relatedTarget)) return;
    paint((k) => words[k].node.ariaPressed === "true");
  });
  root.addEventListener("keydown", (event) => {
    const k = at(event.target);
    if (k < 0) return;
    const rtl = getComputedStyle(words[k].node).direction === "rtl" ? -1 : 1;
    const step =
      { ArrowRight: rtl, ArrowLeft: -rtl, Home: -k, End: words.length - 1 - k }[event.key];
    if (step !== undefined) {
      const next = Math.min(words.length - 1, Math.max(0, k + step));
      words[k].node.tabIndex = -1;
      words[next].node.tabIndex = 0;
      words[next].node.focus();
      if (!event.shiftKey) from = next;
      else if (from < 0) from = k;
      to = next;
      if (event.shiftKey) show();
      event.preventDefault();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (words[k].one.sets) return words[k].node.click();
      if (from < 0) from = to = k;
      commit();
    }
  });
}
