// Bars to press: kinds of error, and groups of questions.

import { el } from "./shared/dom.js";
import { fixed, grouped, signed } from "./shared/numbers.js";
import { bars, star } from "./charts.js";
import { data, note, section } from "./data.js";
import { press } from "./questions.js";
import { meant, ofEach, table } from "./tables.js";

const one = (x) => fixed(x, 1);

export function kinds() {
  const share = (count) => `${grouped(count)} (${one(100 * count / data.rows.length)} %)`;
  const rows = data.kinds.map(({ name, meaning, of }) => [
    meant(name, meaning),
    ...of.flatMap((found) => found ? [share(found.count), one(found.f1.value)] : ["0", ""]),
  ]);
  const wrong = data.kinds.filter(({ name, of }) => name !== "right" && of[0]);
  section(
    "What went wrong",
    table(
      "Each question has one kind; the first rule that holds decides.",
      ["kind", ...ofEach(["questions", "F1"])],
      rows,
    ),
    el(
      "p",
      data.pair ? `The bars count the errors of ${data.names[0]}. ` : "",
      "Press a bar to see its questions.",
    ),
    bars(
      wrong.map(({ name, of: [{ count }] }) => ({ name, value: count, says: grouped(count) })),
      {
        most: Math.max(1, ...wrong.map(({ of }) => of[0].count)),
        accent: "second",
        press: (kind) => press({ kind }),
      },
    ),
  );
}

export function groups() {
  const made = section(
    "Where it is good, where it is weak",
    el(
      "p",
      `F1 of each group${data.pair ? ` for ${data.names[0]}` : ""}, its 95 % interval as a thin `,
      "line, and how many questions it has. Press a bar to see them.",
      data.pair
        ? ` Δ is ${data.names[0]} minus ${
          data.names[1]
        }; a star marks one told apart from 0, by interval and sign-flip test. With so many groups some stars come by chance.`
        : "",
    ),
  );
  const grid = el("div.grid");
  made.append(grid);
  for (const { title, says, rows } of data.groups) {
    if (!rows.length) continue;
    const bar = (row) => ({
      name: row.name,
      ...row.f1,
      says: `${one(row.f1.value)} (${grouped(row.count)})${
        row.difference ? ` Δ ${signed(row.difference.value)}${star(row.difference)}` : ""
      }`,
    });
    grid.append(
      el(
        "div",
        el("h3", title),
        note(says),
        bars(rows.map(bar), {
          most: 100,
          press: (group) => press({ slice: title, group }),
        }),
      ),
    );
  }
}
