// Which box of the bench cannot be read: a refusal of all that is typed stands beside it.

const GOLD = /^(none|\d{1,3}(\s*[-\u2013]\s*\d{1,3})?)$/i;

/**
 * Whether a box holds what its kind of box may hold; limits and sums are Python's to judge.
 * @param {string} text
 * @param {string} name
 */
export function readable(text, name) {
  const typed = text.trim();
  if (name.startsWith("token ")) return typed !== "" && !/\s/.test(typed);
  if (name === "golds") {
    return typed === "" || typed.split(",").every((one) => GOLD.test(one.trim()));
  }
  const [above, below, ...more] = typed.replaceAll(",", ".").replaceAll("\u2212", "-").split("/");
  const number = (part) => part.trim() !== "" && Number.isFinite(Number(part));
  return more.length === 0 && number(above) && (below === undefined || number(below));
}
