// Boxes, menus and choices.

import { el } from "./dom.js";

/**
 * A box to type in, which the browser neither fills nor corrects.
 * @param {string} name as `el` takes it
 * @param {Record<string, any>} [more]
 */
export const textBox = (name, more = {}) =>
  el(name, { type: "text", autocomplete: "off", spellcheck: "false", ...more });

/**
 * A form that sends nothing: Enter and its button act.
 * @param {string} name
 * @param {() => void} act
 * @param {...any} content
 */
export const form = (name, act, ...content) =>
  el(name, {
    onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      act();
    },
  }, content);

/**
 * @param {any[][]} items value and text of each, and perhaps what is said of it
 * @param {any} [value] the one that is chosen
 */
const options = (items, value) =>
  items.map(([key, text, title]) =>
    el("option", { value: key, selected: key === value, title }, text)
  );

/**
 * The same under names of their own.
 * @param {[string, any[][]][]} groups
 * @param {any} [value]
 */
export const grouped = (groups, value) =>
  groups.map(([label, items]) => el("optgroup", { label }, options(items, value)));

/**
 * A menu whose items stand fast; `pick` gets the chosen one's value.
 * @param {Record<string, any>} about its id or name
 * @param {any[][]} items
 * @param {any} value
 * @param {(value: any) => void} pick
 */
export const choice = (about, items, value, pick) =>
  el("select", {
    ...about,
    onchange: (/** @type {any} */ event) => pick(items[event.target.selectedIndex][0]),
  }, options(items, value));

/**
 * A labelled menu {root, select, update(items, value)} whose items change.
 * @param {string} id
 * @param {any} label
 * @param {(value: string) => void} pick
 * @param {string} [name] of the label
 */
export function menu(id, label, pick, name = "label.menu") {
  const select = el("select", { id, onchange: () => pick(select.value) });
  let known = "";
  return {
    root: el(name, `${label} `, select),
    select,
    update(/** @type {any[][]} */ items, /** @type {any} */ value) {
      const key = JSON.stringify(items);
      if (key !== known) select.replaceChildren(...options(items));
      known = key;
      select.value = value;
    },
  };
}

/**
 * One of several: a label with its button for each.
 * @param {string} name of the group
 * @param {any[][]} items value and text of each, and perhaps a class
 * @param {any} value
 * @param {(value: any) => void} pick
 * @param {(value: any) => Record<string, any>} [more] further properties of a button
 */
export const radios = (name, items, value, pick, more = () => ({})) =>
  items.map(([key, text, kind]) =>
    el(
      "label",
      { class: kind },
      el("input[type=radio]", {
        name,
        value: key,
        checked: key === value,
        onchange: () => pick(key),
        ...more(key),
      }),
      text,
    )
  );
