// A whole number as a setting: a slider and a box beside it. Both apply when they are let go, left
// or confirmed with Enter; what is not allowed is refused below them and changes nothing.

import { textBox } from "./controls.js";
import { el } from "./dom.js";

/**
 * What a typed text says: a whole number within the limits, or the sentence that refuses it.
 * @param {string} text
 * @param {{name: string, low: number, high: number}} setting
 * @returns {{value: number} | {refusal: string}}
 */
export function wholeNumber(text, { name, low, high }) {
  const typed = text.trim();
  const allowed = `${name} must be a whole number from ${low} to ${high}`;
  if (!typed) return { refusal: `${allowed}; the box is empty` };
  const value = /^[+-]?\d+$/.test(typed) ? Number(typed) : NaN;
  if (value >= low && value <= high) return { value };
  return { refusal: `${allowed}, got ${typed.length > 12 ? `${typed.slice(0, 12)}…` : typed}` };
}

/**
 * {root, show(setting)}: `apply(value)` is called once for each new value; a box that is being
 * edited is left alone by `show`.
 * @param {string} id
 * @param {(value: number) => void} apply
 * @param {() => boolean} [waits] whether an own value is on its way: an older answer that comes
 * meanwhile leaves the slider where it is
 */
export function wholeSetting(id, apply, waits = () => false) {
  let now = null;
  const slider = el("input[type=range][step=1]", { id: `${id}-slider` });
  const box = textBox("input[inputmode=numeric]", {
    id,
    size: 4,
    "aria-describedby": `${id}-help ${id}-refused`,
  });
  const name = el("label", { for: id });
  const help = el("p.role-quiet", { id: `${id}-help` });
  const refused = el("p.refused[role=status]", { id: `${id}-refused` });
  const say = (text) => {
    refused.textContent = text;
    if (text) box.setAttribute("aria-invalid", "true");
    else box.removeAttribute("aria-invalid");
  };
  const put = (value) => {
    box.value = String(value);
    slider.value = String(value);
    say("");
  };
  const use = (value) => {
    put(value);
    if (value === now.value) return;
    now = { ...now, value };
    apply(value);
  };
  const typed = () => {
    const read = wholeNumber(box.value, now);
    if ("refusal" in read) say(read.refusal);
    else use(read.value);
  };
  slider.addEventListener("input", () => put(Number(slider.value)));
  slider.addEventListener("change", () => use(Number(slider.value)));
  box.addEventListener("input", () => {
    if ("value" in wholeNumber(box.value, now)) say("");
  });
  // not "change": what was refused, mended and typed again is no change to the browser
  box.addEventListener("blur", typed);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") typed();
    else if (event.key === "Escape") put(now.value);
  });
  return {
    root: el("div.setting", el("div.setting-row", name, slider, box), help, refused),
    show(setting) {
      const edited = now && box.value !== String(now.value);
      const newer = now && waits();
      now = newer ? { ...setting, value: now.value } : setting;
      name.textContent = setting.name;
      help.textContent = setting.help;
      slider.setAttribute("aria-label", `${setting.name}, slider`);
      slider.min = String(setting.low);
      slider.max = String(Math.max(setting.top, setting.value));
      if (!edited && !newer) put(setting.value);
    },
  };
}
