// Where a label of a plane stands: near its dot, on no other label, no number of a contour and no
// dot; farther away, with a line to its dot, where the dots lie close together.

/**
 * @typedef {{l: number, r: number, t: number, b: number}} Box
 * @typedef {{x: number, y: number, w: number, h: number, gap: number, must?: boolean}} Label `must`:
 * it is never left out
 * @typedef {Box & {far: boolean, side: number}} Place `side`: -1, 0 or 1, where the label lies
 */

const FAR = [1, 1.8, 2.8, 4, 5.5, 7.5, 10];
/** From there on a line shows whose label it is. */
const LED = 1.8;
const TURNS = 16;

/** @param {Box} a @param {Box} b */
export const meet = (a, b) => a.l < b.r && a.r > b.l && a.t < b.b && a.b > b.t;

/**
 * Whether a line from one point to another touches a box.
 * @param {Box} box
 * @param {number[]} from [x, y]
 * @param {number[]} to [x, y]
 */
export function touches({ l, r, t, b }, from, to) {
  let [low, high] = [0, 1];
  for (const [axis, least, most] of [[0, l, r], [1, t, b]]) {
    const step = to[axis] - from[axis];
    if (!step && (from[axis] < least || from[axis] > most)) return false;
    if (!step) continue;
    const ends = [(least - from[axis]) / step, (most - from[axis]) / step].sort((p, q) => p - q);
    low = Math.max(low, ends[0]);
    high = Math.min(high, ends[1]);
  }
  return low <= high;
}

/** The place in one direction whose nearest edge is so far from the dot. */
function place({ x, y, w, h }, dx, dy, far) {
  const l = x + dx * (far + w / 2) - w / 2;
  const t = y + dy * (far + h / 2) - h / 2;
  return { l, r: l + w, t, b: t + h, side: Math.abs(dx) < 0.5 ? 0 : Math.sign(dx) };
}

/** Beside, above and below first; then round the dot, farther and farther away. */
function* places(label) {
  for (const [dx, dy] of [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [-1, 1], [1, 1], [-1, -1]]) {
    yield { ...place(label, dx, dy, dx && dy ? 0.6 * label.gap : label.gap), far: false };
  }
  for (const k of FAR) {
    for (let turn = 0; turn < TURNS; turn += 1) {
      const angle = 2 * Math.PI * turn / TURNS;
      yield {
        ...place(label, Math.cos(angle), Math.sin(angle), k * label.gap),
        far: k >= LED,
      };
    }
  }
}

/**
 * The best place of a label, or null where it would lie on something and need not be shown.
 * @param {Label} label
 * @param {Box} frame
 * @param {Box[]} taken other labels and the numbers of contours
 * @param {Box[]} dots a box round each dot
 * @param {number[][][]} ways lines of points, better not crossed
 * @returns {Place | null}
 */
export function placeFor(label, frame, taken, dots, ways = []) {
  /** @type {{at: Place, cost: number} | null} */
  let best = null;
  for (const at of places(label)) {
    const inside = at.l >= frame.l && at.r <= frame.r && at.t >= frame.t && at.b <= frame.b;
    if (!inside || taken.some((box) => meet(at, box))) continue;
    const covered = dots.filter((box) => meet(at, box)).length;
    if (covered && !label.must) continue;
    const crossed = ways.some((way) => way.some((to, k) => k && touches(at, way[k - 1], to)));
    const cost = 10 * covered + (crossed ? 1 : 0);
    if (!best || cost < best.cost) best = { at, cost };
    if (!cost) break;
  }
  return best && best.at;
}
