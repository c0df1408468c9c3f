// Bars to press: kinds of error, and groups of questions.

import { el } from "../page/shared/dom.js";
import { fixed, grouped, signed } from "../page/shared/numbers.js";
import { bars, star } from "./charts.js";
import { data, note, section } from "./data.js";
import { press } from "./questions.js";
import { meant, table } from "./tables.js";

const one = (x) => fixed(x, 1);

export function kinds() {
  const rows = data.kinds.map((kind) => [
    meant(kind.name, kind.meaning),
    grouped(kind.count),
    `${one(100 * kind.count / data.rows.length)} %`,
    one(kind.f1.value),
  ]);
  const wrong = data.kinds.filter((kind) => kind.name !== "right");
  section(
    "What went wrong",
    table(
      "Each question has one kind; the first rule that holds decides.",
      ["kind", "questions", "share", "F1"],
      rows,
    ),
    el("p", "Press a bar to see its questions."),
    bars(
      wrong.map(({ name, count }) => ({ name, value: count, says: grouped(count) })),
      {
        most: Math.max(1, ...wrong.map(({ count }) => count)),
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
        }; a star marks an interval without 0. With so many groups some stars come by chance.`
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
