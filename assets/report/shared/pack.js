// Numbers as they travel (qa_demo/evaluation/pack.py), and probabilities made of them.

/** @param {string} base64 */
function bytes(base64) {
  const text = atob(base64);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) out[i] = text.charCodeAt(i);
  return out.buffer;
}

/**
 * What Python compressed.
 * @param {string} base64
 * @param {CompressionFormat} [format]
 */
export function unzipped(base64, format = "gzip") {
  const stream = new Blob([bytes(base64)]).stream().pipeThrough(new DecompressionStream(format));
  return new Response(stream);
}

/**
 * Numbers of a packed float32 array.
 * @param {string} base64
 */
export const floats = (base64) => new Float32Array(bytes(base64));
/**
 * Numbers of a packed int32 array.
 * @param {string} base64
 */
export const ints = (base64) => new Int32Array(bytes(base64));

/**
 * Does a word piece continue the word before it?
 * @param {string} bits base64, one bit for each piece of the paragraph, from the left
 */
export function joiner(bits) {
  const raw = atob(bits);
  return (/** @type {number} */ d) => Boolean((raw.charCodeAt(d >> 3) >> (7 - (d & 7))) & 1);
}

/**
 * exp(x_k / temperature) / sum, in double precision.
 * @param {ArrayLike<number> & Iterable<number>} logits
 * @param {number} [temperature]
 */
export function softmax(logits, temperature = 1) {
  const top = Math.max(...logits);
  const p = Float64Array.from(logits, (x) => Math.exp((x - top) / temperature));
  const sum = p.reduce((a, b) => a + b, 0);
  return p.map((x) => x / sum);
}

/**
 * What the positions `first` to `last` have together.
 * @param {Float64Array} p
 * @param {number} first
 * @param {number} last
 */
export const mass = (p, first, last) => p.subarray(first, last + 1).reduce((a, b) => a + b, 0);
