// A judged question, as the report and the panel of failures hold it.

/** The fields of an address, behind no # yet. @param {Record<string, any>} fields */
export const address = (fields) =>
  Object.entries(fields).map(([name, value]) =>
    `${name}=${encodeURIComponent(String(value).toWellFormed())}`
  ).join("&");

/**
 * The link that opens a case on the page; numbers of windows, decode and span that are null stay
 * out of it.
 * @param {{question: string, context: string, ranges: number[][]}} one
 * @param {string} chapter
 * @param {{windows?: number[] | null, decode?: number[] | null, span?: number[] | null}} numbers
 */
export function caseLink({ question, context, ranges }, chapter, { windows, decode, span }) {
  return `#${
    address({
      v: 1,
      q: question,
      p: context,
      ...(windows ? { windows: windows.join("_") } : {}),
      ...(decode ? { decode: decode.join("_") } : {}),
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
