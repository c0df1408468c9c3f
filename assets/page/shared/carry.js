// What the browser alone knows of a screen and a link brings back: a module names its own here. It
// comes back with the event "link" as a field of the same name, which the module checks, since
// anybody may write a link.

/** @type {Map<string, () => any>} */
const parts = new Map();

/**
 * Carry a value in every link: `save()` gives plain data of at most 20,000 characters as JSON, or
 * null where there is nothing to bring back. Say "carried" when it changes.
 * @param {string} name small letters and _
 * @param {() => any} save
 */
export const carry = (name, save) => parts.set(name, save);

/** Everything that is carried now, by name. */
export const carried = () =>
  Object.fromEntries([...parts].map(([name, save]) => [name, save() ?? null]));
