// Tables as files: what a spreadsheet would run is harmless, and every cell comes back.

import assert from "node:assert/strict";
import { cell, csv, fileName, tabbed } from "../../../assets/page/shared/csv.js";
import { rng } from "../random.js";

Deno.test("a cell that begins like a formula is none, a number stays one", () => {
  for (const bad of ['=HYPERLINK("x")', "+cmd|' /C calc'!A0", "-1+2", "@SUM(A1)", "\t=1"]) {
    assert.equal(cell(bad), `'${bad}`);
  }
  for (const number of ["-1.5", "+2", "12", "1,024.5", "-3e-5"]) assert.equal(cell(number), number);
  assert.equal(cell("−4.12"), "-4.12");
  assert.equal(cell(null), "");
});

Deno.test("rows and quotes follow RFC 4180", () => {
  const table = { head: ["word", "p"], rows: [['say "a, b"', "0.5"], ["two\nlines", "=1"]] };
  assert.equal(csv(table), 'word,p\r\n"say ""a, b""",0.5\r\n"two\nlines",\'=1\r\n');
  assert.equal(tabbed(table), 'word\tp\nsay "a, b"\t0.5\ntwo lines\t\'=1');
});

/** Cells of CSV as any reader of RFC 4180 finds them. */
function read(text) {
  const rows = [[""]];
  let inside = false;
  for (let k = 0; k < text.length; k += 1) {
    const row = rows[rows.length - 1];
    const c = text[k];
    if (inside && c === '"' && text[k + 1] === '"') {
      row[row.length - 1] += '"';
      k += 1;
    } else if (c === '"') inside = !inside;
    else if (!inside && c === ",") row.push("");
    else if (!inside && c === "\r" && text[k + 1] === "\n") {
      rows.push([""]);
      k += 1;
    } else row[row.length - 1] += c;
  }
  return rows.slice(0, -1);
}

Deno.test("any table is read back", () => {
  const dice = rng(7);
  const letters = ['"', ",", "\n", "\r", "a", "é", "=", "-", "1", "👩", " "];
  const text = () =>
    Array.from({ length: Math.floor(dice() * 6) }, () => letters[Math.floor(dice() * 11)]).join("");
  for (let n = 0; n < 200; n += 1) {
    const rows = Array.from({ length: 3 }, () => [text(), text()]);
    assert.deepEqual(
      read(csv({ head: ["a", "b"], rows })).slice(1),
      rows.map((row) => row.map(cell)),
    );
  }
});

Deno.test("a file's name says example, chapter, table and day", () => {
  const day = new Date(2026, 10, 3);
  assert.equal(
    fileName(["öresund", "start_end", "Every span, p > 1 %"], day),
    "spanlight-oresund-start_end-every-span-p-1-2026-11-03",
  );
  assert.equal(fileName(["text", "../../x"], day), "spanlight-text-x-2026-11-03");
});
