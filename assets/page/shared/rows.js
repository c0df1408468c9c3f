// Where the names above an axis stand: in rows, none touching another or another's leader and none
// crossed by a line through all of them, such as the no-answer rule or that of log Z.

/**
 * @typedef {{x: number, half: number, rank: number}} Label a dot's place and half of its label
 * @typedef {{at: number, foot: number, row: number | null}} Place middle of the label, where its
 *   leader ends, and its row from below; null: no room
 */

/**
 * Places for labels given best first. Winner and runner-up always have one: where there is no room
 * over their dot it stands beside, and its leader slants. Others stand nearer to their dot than to
 * any other, or have none.
 * @param {Label[]} labels
 * @param {{width: number, rule: number | null, rows: number, pad: number, slides?: boolean}} room
 *   `rule`: where the rule stands, `pad`: blank beside it, `slides`: whether others may stand beside
 *   their dot, where there is no room over it
 * @returns {Place[]}
 */
export function placeLabels(labels, { width, rule, rows, pad, slides = true }) {
  /** @type {(Label & Place & {row: number})[]} */
  const taken = [];
  const inside = (/** @type {number} */ at, /** @type {number} */ half) =>
    Math.max(half, Math.min(width - half, at));
  const crossed = (/** @type {number} */ at, /** @type {number} */ half) =>
    rule !== null && Math.abs(at - rule) < half + pad;

  /** Middles that a label may have, the nearest to its dot first. @param {Label} label */
  const middles = ({ x, half, rank }) => {
    const most = rank <= 2 ? width : half;
    const step = Math.max(2, half / 4);
    const wished = [inside(x, half)];
    const free = slides || rank <= 2;
    if (rule !== null && (free || crossed(wished[0], half))) {
      wished.push(rule + half + pad, rule - half - pad);
    }
    for (let far = step; free && far <= most; far += step) {
      wished.push(inside(x + far, half), inside(x - far, half));
    }
    return wished
      .filter((at) => at >= half && at <= width - half && Math.abs(at - x) <= most + half)
      .filter((at) => !crossed(at, half))
      .sort((a, b) => Math.abs(a - x) - Math.abs(b - x));
  };
  const foot = (/** @type {Label} */ { x, half }, /** @type {number} */ at) =>
    Math.max(at - half, Math.min(at + half, x));

  /** @param {Label} label @param {number} at @param {number} row @param {boolean} leaders */
  const clash = (label, at, row, leaders) =>
    taken.some((t) => {
      if (t.row === row) return Math.abs(t.at - at) < t.half + label.half;
      if (!leaders) return false;
      const [low, high, its] = t.row < row
        ? [t, foot(label, at), label.x]
        : [{ at, half: label.half }, t.foot, t.x];
      return Math.min(high, its) < low.at + low.half && Math.max(high, its) > low.at - low.half;
    });

  return labels.map((label) => {
    const list = middles(label);
    const own = list.filter((at) =>
      !labels.some(({ x }) => Math.abs(x - at) < Math.abs(label.x - at))
    );
    const found = find(label, own, [true]) ??
      (label.rank <= 2 ? find(label, list, [true, false]) ?? wide(label) : null);
    if (found) taken.push({ ...label, ...found });
    if (found) return found;
    const at = middles({ ...label, rank: 1 })[0] ?? inside(label.x, label.half);
    return { at, foot: foot(label, at), row: null };
  });

  /** @param {Label} label @param {number[]} list @param {boolean[]} ways */
  function find(label, list, ways) {
    for (const leaders of ways) {
      for (let row = 0; row < rows; row += 1) {
        const at = list.find((one) => !clash(label, one, row, leaders));
        if (at !== undefined) return { at, foot: foot(label, at), row };
      }
    }
    return null;
  }

  /** A place for what is wider than either side of the rule. @param {Label} label */
  function wide(label) {
    const at = inside(label.x, label.half);
    const row = taken.some((t) => t.row === 0) ? 1 : 0;
    return { at, foot: foot(label, at), row };
  }
}
