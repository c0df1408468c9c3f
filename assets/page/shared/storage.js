// The browser's own storage. A browser may refuse it, which it says by an error; a full one forgets.

/**
 * @param {"localStorage" | "sessionStorage"} kind
 * @returns {Storage | null}
 */
export function storage(kind) {
  try {
    return globalThis[kind] ?? null;
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

/**
 * Keep a text under a name; a full or forbidden storage keeps nothing.
 * @param {"localStorage" | "sessionStorage"} kind
 * @param {string} name
 * @param {string} text
 */
export function keepText(kind, name, text) {
  try {
    storage(kind)?.setItem(name, text);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

/**
 * What a text says as JSON, or null: another program may have left anything there.
 * @param {string | null | undefined} text
 */
export function readJson(text) {
  try {
    return JSON.parse(text ?? "null");
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
