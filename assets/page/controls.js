// What a reader of the page sets: sliders with their box, choices, buttons, boxes for words.

import { el, row } from "./dom.js";
import { set } from "./store.js";

export function slider(b) {
  const range = el("input", {
    type: "range",
    "aria-label": b.label,
    "data-focus": b.key,
    dir: b.flip ? "rtl" : null,
  });
  const box = el("input", {
    type: "number",
    "aria-label": `${b.label}, number`,
    "data-focus": `${b.key}-box`,
  });
  const says = el("small", {}), named = el("span", { class: "named", "aria-hidden": "true" });
  range.ariaDescribedByElements = [says];
  /** @type {string | null} what was moved or typed and is not answered yet */
  let own = null;
  const fill = (now) => {
    const held = [range, box].some((input) => input.matches(":focus, :active"));
    if (!held || Number(own ?? now.value) === now.value) own = null;
    for (const input of [range, box]) {
      for (const name of ["min", "max", "step"]) input[name] = now[name];
      if (own === null) input.value = now.value;
    }
    says.removeAttribute("role");
    says.textContent = now.says;
    b = now;
    if (now.names) {
      range.ariaValueText = named.textContent = now.names[Number(range.value) - now.min];
    }
  };
  fill(b);
  /** A finger that may be about to scroll the page: "down", then "held" at its first value. */
  let finger = "";
  const send = () => set({ [b.field]: Number(range.value) });
  range.addEventListener("input", () => {
    range.focus({ preventScroll: true }); // Safari gives it to no slider under a mouse
    own = box.value = range.value;
    if (b.names) named.textContent = b.names[Number(range.value) - b.min];
    finger = finger === "down" ? "held" : "";
    if (!finger) send();
  });
  range.addEventListener("pointerdown", (e) => finger = e.pointerType === "touch" ? "down" : "");
  range.addEventListener("pointerup", () => finger === "held" && (finger = "", send()));
  range.addEventListener("pointercancel", () => (finger = "", own = null, fill(b))); // it scrolls
  box.addEventListener("input", () => own = box.value);
  box.addEventListener("change", () => {
    const { rangeOverflow, rangeUnderflow } = box.validity;
    if (box.value === "" || rangeOverflow || rangeUnderflow) {
      const got = `${b.label} must be ${b.min} to ${b.max}, got ${box.value || "no number"}`;
      says.role = "alert", says.textContent = `${got}. ${b.says}`;
      box.value = range.value, own = null;
      return;
    }
    range.value = box.value;
    set({ [b.field]: Number(box.value) });
  });
  const about = { class: b.span > 6 ? "control wide" : "control", "data-field": b.field };
  const label = el("span", { "aria-hidden": "true" }, b.label);
  const node = el("div", about, label, range, b.names ? named : box, says);
  // a slider under a finger is never drawn anew
  const keeps = (now) => now.field === b.field && now.label === b.label && (fill(now), true);
  return { node, keeps, redraw: () => fill(b) };
}

export function choice(b) {
  const press = (option, k) =>
    el("button", {
      "aria-pressed": String(option.pressed),
      "data-focus": `${b.key}-${k}`,
      onclick: () => set(option.sets),
    }, option.label);
  const label = b.label ? el("span", { class: "label", "aria-hidden": "true" }, b.label) : null;
  const named = { role: b.label ? "toolbar" : null, "aria-label": b.label || null };
  return { node: row(el("div", { class: "choice", ...named }, label, b.options.map(press))) };
}

export function button(b) {
  const about = { disabled: b.off, "data-focus": b.key, onclick: () => set(b.sets) };
  return { node: el("p", { class: "press" }, el("button", about, b.label)) };
}

export function entry(b) {
  const box = el("input", {
    type: "text",
    value: b.value,
    maxlength: b.most,
    "aria-label": b.label,
    placeholder: b.label,
    "data-focus": b.key,
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing && box.value.trim()) {
      set({ [b.field]: box.value });
    }
  });
  return { node: el("div", { class: "entry", "data-field": b.field }, box) };
}

export function steps(b) {
  const press = (name, k) =>
    el("button", {
      "aria-pressed": String(k + 1 === b.now),
      "data-focus": `step-${k}`,
      onclick: () => set({ step: k + 1 }),
    }, `${k + 1} ${name}`);
  const named = { class: "steps", role: "toolbar", "aria-label": "Steps" };
  return { node: row(el("div", named, b.names.map(press))) };
}
