// A picture as a file: whole XML whatever the texts hold, and only what the file itself brings.

import assert from "node:assert/strict";
import { isOwn, rulesOf, Sheet } from "../../../assets/page/shared/copy_look.js";
import { pictureFile, textBlock, wrapped, xml } from "../../../assets/page/shared/picture_file.js";
import { rng } from "../random.js";

const HOSTILE = 'Who "asks" <b>& </script>\u0000\u001b\ufffe?';
const content = {
  title: "Which pair of positions scores highest?",
  formula: [{ text: "score = s" }, { text: "i", size: 0.75, dy: 0.3 }, { text: " + e" }],
  source: `“${HOSTILE}”, reader: bundled`,
  width: 400,
  height: 120,
  top: -6,
  markup: '<circle r="5"/>',
  css: ".p0{color:red}",
  ink: "#111",
  quiet: "#555",
  paper: "#fff",
  sans: "sans-serif",
  serif: "serif",
};
/** @param {{text: string}} run */
const ten = (run) => 10 * run.text.length;

Deno.test("text is escaped, and what XML cannot hold is replaced", () => {
  assert.equal(
    xml(HOSTILE),
    "Who &quot;asks&quot; &lt;b&gt;&amp; &lt;/script&gt;\ufffd\ufffd\ufffd?"
      .replaceAll("\\", ""),
  );
  assert.equal(xml("a\tb\n😀"), "a\tb\n😀");
  assert.equal(xml("\ud800"), "\ufffd");
});

Deno.test("lines hold no more than their width, and no word is lost", () => {
  const random = rng(7);
  for (let k = 0; k < 200; k += 1) {
    const words = Array.from({ length: 1 + random() * 30 }, () => "w".repeat(1 + random() * 9));
    const lines = wrapped([{ text: words.join(" ") }], 120, ten);
    assert.equal(lines.flat().map((run) => run.text).join(""), words.join(" "));
    for (const line of lines) {
      assert.ok(line.length === 1 || line.reduce((sum, run) => sum + ten(run), 0) <= 120);
    }
  }
});

Deno.test("a subscript stays on the line of its letter and is lowered alone", () => {
  const lines = wrapped(content.formula, 80, ten);
  assert.deepEqual(lines[lines.length - 1].slice(0, 2).map((run) => run.text), ["s", "i"]);
  const { markup } = textBlock([content.formula], {
    y: 0,
    size: 16,
    fill: "#111",
    family: "serif",
    name: "formula",
  });
  assert.match(markup, /<tspan font-size="0.75em" dy="4.8">i<\/tspan><tspan dy="-4.8"> \+ e/);
});

Deno.test("the file has title, formula, source and a size that holds them all", () => {
  const { svg, width, height } = pictureFile(content, ten);
  assert.match(svg, /<title>Which pair/);
  for (const name of ["title", "formula", "source"]) {
    assert.match(svg, new RegExp(`<text class="${name}"`));
  }
  assert.ok(!svg.includes("<script") && !svg.includes("<b>") && svg.includes(content.markup));
  const rows = [...svg.matchAll(/<text [^>]*y="([\d.]+)"/g)].map((found) => Number(found[1]));
  assert.ok(rows.every((y, k) => k === 0 || y > rows[k - 1]) && Math.max(...rows) < height);
  assert.equal(width, 448);
});

Deno.test("styles that name another place stay behind", () => {
  for (const good of ["url(#clip)", 'url("#clip")', "rgb(1, 2, 3)"]) assert.ok(isOwn(good));
  for (const bad of ["url(https://x.test/a)", "url('data:x')", "URL(//x)"]) {
    assert.ok(!isOwn(bad), bad);
  }
  const style = {
    display: "block",
    width: "10px",
    "background-image": "url(https://x.test/a.png)",
  };
  const rules = rulesOf((name) => style[name] ?? "", null, false);
  assert.ok(rules.includes("width:10px") && !rules.includes("x.test"));
});

Deno.test("a child repeats nothing that it takes from its parent, and equal rules share a class", () => {
  const style = (colour) => (name) => ({ display: "inline", color: colour })[name] ?? "";
  assert.equal(rulesOf(style("red"), style("red"), false), "display:inline");
  assert.equal(rulesOf(style("red"), style("blue"), false), "display:inline;color:red");
  const sheet = new Sheet();
  assert.equal(sheet.classOf("a:1"), sheet.classOf("a:1"));
  assert.notEqual(sheet.classOf("a:1"), sheet.classOf("a:2"));
  assert.equal(sheet.text, ".p0{a:1}\n.p1{a:2}");
});
