// A judged question, as the report and the panel of failures hold it.

/** The fields of an address, behind no # yet. @param {Record<string, any>} fields */
export const address = (fields) =>
  Object.entries(fields).map(([name, value]) =>
    `${name}=${encodeURIComponent(String(value).toWellFormed())}`
  ).join("&");

/** @param {any} value */
export const isPlace = (value) => Number.isSafeInteger(value) && value >= 0;
/** @param {any[]} list */
const whole = (list) => list.every(isPlace) ? list : null;

/**
 * The settings of a run as a link carries them; null for those that the run does not name. Under
 * the rules of 1.1 nothing is withheld, as by the null "none".
 * @param {any} run
 */
export function settingsOf({ rules, threshold, options }) {
  const { copies, scale, null: by, top_n_grid: grid } = options;
  const decode = whole([options.max_answer_length, options.n_best_size]);
  const limit = Number.isFinite(threshold) ? [threshold] : grid ? [0] : [];
  const merge = [copies, scale, rules === "1.1" ? "none" : by];
  return {
    windows: whole([options.max_seq_length, options.doc_stride, options.max_query_length]),
    decode: decode && [...decode, ...limit, ...(grid ? [1] : [])],
    merge: merge.every((name) => typeof name === "string") ? merge : null,
  };
}

/**
 * The link that opens a case on the page; settings and a span that are null stay out of it.
 * @param {{question: string, context: string, ranges: number[][]}} one
 * @param {string} chapter
 * @param {{windows?: number[] | null, decode?: number[] | null, merge?: string[] | null,
 *   span?: number[] | null}} settings
 */
export function caseLink({ question, context, ranges }, chapter, { windows, decode, merge, span }) {
  return `#${
    address({
      v: 1,
      q: question,
      p: context,
      ...(windows ? { windows: windows.join("_") } : {}),
      ...(decode ? { decode: decode.join("_") } : {}),
      ...(merge ? { merge: merge.join("~") } : {}),
      chapter,
      ...(span ? { span: span.join("_") } : {}),
      ...(ranges.length ? { gold: ranges.map((range) => range.join("-")).join("_") } : {}),
    })
  }`;
}

/**
 * Whether a kind of error is the wanted one; "wrong" is every kind but right.
 * @param {string} kind
 * @param {string} wanted
 */
export const isKind = (kind, wanted) => wanted === "wrong" ? kind !== "right" : kind === wanted;

/**
 * Whether a case holds some letters: in question, answer, id or a right answer.
 * @param {{question: string, answer: string | null, id: string, gold: string[]}} one
 * @param {string} letters in lower case
 */
export const holds = ({ question, answer, id, gold }, letters) =>
  [question, answer ?? "", id, ...gold].some((text) => text.toLowerCase().includes(letters));
