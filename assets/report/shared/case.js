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
 * The settings of a run as a link carries them; null for those that the run does not name.
 * @param {any} run
 */
export function settingsOf({ threshold, options }) {
  const decode = whole([options.max_answer_length, options.n_best_size]);
  const limit = Number.isFinite(threshold) ? [threshold] : [];
  return {
    windows: whole([options.max_seq_length, options.doc_stride, options.max_query_length]),
    decode: decode && [...decode, ...limit],
    rule: typeof options.rule === "string" && options.rule !== "logits" ? options.rule : null,
  };
}

/**
 * The link that opens a case on the page; settings and a span that are null stay out of it.
 * @param {{question: string, context: string, ranges: number[][]}} one
 * @param {string} chapter
 * @param {{windows?: number[] | null, decode?: number[] | null, rule?: string | null,
 *   span?: number[] | null}} settings
 */
export function caseLink({ question, context, ranges }, chapter, { windows, decode, rule, span }) {
  return `#${
    address({
      v: 1,
      q: question,
      p: context,
      ...(windows ? { windows: windows.join("_") } : {}),
      ...(decode ? { decode: decode.join("_") } : {}),
      ...(rule ? { rule } : {}),
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
