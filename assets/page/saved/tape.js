// The tape of a saved reading: what was asked, and what Python answered.

/**
 * A request's value as text, as qa_demo/views/saved/tape.py writes it: the same for the same value,
 * and without the key by which a picture knows its answer again.
 * @param {any} value
 */
export function canonical(value) {
  const { key: _, ...rest } = value && typeof value === "object" && !Array.isArray(value)
    ? value
    : { rest: value };
  return JSON.stringify(
    "rest" in rest ? rest.rest : rest,
    (_name, one) =>
      one && typeof one === "object" && !Array.isArray(one)
        ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
        : one,
  );
}

/**
 * A chapter's data with what an answer changes.
 * @param {any} before
 * @param {any} changes
 */
export const patched = (before, changes) => ({
  ...before,
  ...changes,
  picture: { ...before.picture, ...changes?.picture },
});

/** A reply belongs to the request that asks for it now. */
function replied(page, value) {
  const reply = page.picture.reply;
  return reply && value?.key
    ? { ...page, picture: { ...page.picture, reply: { ...reply, key: value.key } } }
    : page;
}

/** A record's details with those that several selections share. */
const restored = (details, shared) =>
  details && Object.fromEntries(
    Object.entries(details).map(([key, parts]) => [
      key,
      Object.fromEntries(
        Object.entries(parts).map(([name, one]) => [name, shared[one?.shared] ?? one]),
      ),
    ]),
  );

/**
 * What can be looked up in a tape; `others` are tapes of chapters that have their own.
 * @param {any} tape
 * @param {Record<string, any>} [others]
 */
export function player(tape, others = {}) {
  const of = (key) => others[key] ?? tape;
  const picture = (key) => ({ ...of(key).pictures[key], stamp: tape.reading.stamp });
  const own = Object.fromEntries(
    Object.entries(others).map(([key, { record }]) => [key, record.formulas[key]]),
  );
  return {
    /**
     * The record of a selection "window start end" or "none"; null where it is not on the tape.
     * @param {string} place
     */
    record(place) {
      const changed = tape.records[place];
      if (!changed) return null;
      const record = { ...tape.record, ...changed };
      return {
        ...record,
        formulas: { ...record.formulas, ...own },
        details: restored(record.details, tape.shared),
      };
    },
    /** The record that stands first. */
    first: () => ({ ...tape.record, formulas: { ...tape.record.formulas, ...own } }),
    /**
     * A chapter's data, as a new value each time, so that it is drawn again.
     * @param {string} key
     */
    picture,
    /**
     * What Python answered to a request of a picture: {page, formula, select}, or null. An answer
     * that selects what is not on the tape is none.
     * @param {string} key
     * @param {string} name
     * @param {any} value
     */
    answer(key, name, value) {
      const { answers, refused, pages, records } = of(key);
      const found = answers[`${key} ${name} ${canonical(value)}`] ?? null;
      const page = pages[found ? found.page : refused[`${key} ${name}`]];
      if (!page || (found?.select && !records[found.select])) return null;
      return { ...found, page: replied(patched(picture(key), page), value) };
    },
    /**
     * The same with another tape for one chapter.
     * @param {string} key
     * @param {any} other
     */
    with: (key, other) => player(tape, { ...others, [key]: other }),
  };
}
