// The files of the static edition: each is a script that hands its data over, since a page opened
// from a file may not fetch.

import { el } from "../shared/dom.js";
import { unzipped } from "../shared/pack.js";

/** @type {Map<string, string>} */
const held = new Map();
/** @type {Map<string, Promise<any>>} */
const coming = new Map();

/** What a file calls with its name and data. */
/** @type {any} */ (globalThis).spanlight = (name, data) => held.set(name, data);

function loaded(name) {
  return new Promise((done, failed) => {
    const script = el("script", {
      src: `data/${name}.js`,
      onload: () => {
        script.remove();
        const data = held.get(name);
        held.delete(name);
        if (data === undefined) failed(new Error(`data/${name}.js holds something else`));
        else done(unzipped(data).json());
      },
      onerror: () => failed(new Error(`data/${name}.js could not be loaded`)),
    });
    document.head.append(script);
  });
}

/**
 * The data of one file, loaded once.
 * @param {string} name
 * @returns {Promise<any>}
 */
export function fetched(name) {
  const now = coming.get(name) ?? loaded(name);
  coming.set(name, now);
  now.catch(() => coming.delete(name)); // asked again, it is tried again
  return now;
}
