import assert from "node:assert/strict";
import {
  addend,
  fixed,
  grouped,
  labels,
  means,
  percent,
  probability,
  short,
  sums,
  units,
} from "../../../assets/page/shared/numbers.js";
import { rng } from "../random.js";
import vectors from "../vectors.json" with { type: "json" };

Deno.test("a printed number by hand: a real minus sign, never minus zero", () => {
  assert.equal(fixed(-3.14159), "\u22123.14");
  assert.equal(fixed(-0.001), "0.00");
  assert.equal(fixed(2, 0), "2");
  assert.equal(grouped(1234567), "1,234,567");
});

Deno.test("numbers are printed as Python prints them", () => {
  for (const { x, decimals, text } of vectors.numbers) assert.equal(fixed(x, decimals), text);
});

Deno.test("ties, nothings and endless values are printed as Python prints them", () => {
  for (const { x, decimals, text } of vectors.ties) {
    // JSON knows no minus zero, and neither does a printed number
    assert.equal(fixed(x, decimals), text, `${x} with ${decimals} decimals`);
    const digits = String(units(x, decimals)).replace("-", "\u2212");
    assert.equal(digits, text.replace(".", "").replace(/^(\u2212?)0+(?=\d)/, "$1"));
  }
  assert.equal(fixed(-0), "0.00");
  assert.equal(fixed(Infinity), "Infinity");
});

Deno.test("probabilities are printed as Python prints them", () => {
  for (const { p, ...printed } of vectors.shares) {
    assert.deepEqual({ percent: percent(p), probability: probability(p) }, printed);
  }
});

Deno.test("sums are printed as Python prints them", () => {
  for (const { values, addends, total, sign } of vectors.sums) {
    assert.deepEqual(sums(values), { addends, total, sign });
  }
});

Deno.test("values and their mean are printed as Python prints them", () => {
  for (const { values, ...printed } of vectors.means) assert.deepEqual(means(values), printed);
});

Deno.test("5.654 + 5.942 takes three decimals, a small total as many as it needs", () => {
  assert.deepEqual(sums([5.654, 5.942]), {
    addends: ["5.654", "5.942"],
    total: "11.596",
    sign: "=",
  });
  assert.equal(sums([1.374, -1.372]).total, "0.002");
});

Deno.test("a sum that says = adds up as printed", () => {
  const random = rng(2);
  const back = (/** @type {string} */ text) => Number(text.replace("\u2212", "-"));
  for (let round = 0; round < 500; round += 1) {
    const size = 10 ** (random() * 6 - 2);
    const addends = Array.from(
      { length: 2 + Math.floor(random() * 5) },
      () => (random() - 0.5) * size,
    );
    const printed = sums(addends);
    const sum = printed.addends.map(back).reduce((a, b) => a + b, 0);
    if (printed.sign === "=") assert.ok(Math.abs(sum - back(printed.total)) < 1e-6);
    else assert.equal(printed.sign, "\u2248");
  }
});

Deno.test("labels of large numbers are short and share one unit", () => {
  assert.deepEqual([-2e6, 0, 5e5].map(labels(5e5, 2e6)), ["\u22122.0M", "0", "0.5M"]);
  assert.deepEqual([0, 5000].map(labels(1000, 9000)), ["0", "5000"]);
  assert.equal(short(1234567), "1.235M");
  assert.equal(short(-12.34), "\u221212.3");
});

Deno.test("terms of a sum keep a space around their sign, the first one does not", () => {
  assert.equal(
    ["1.20", "\u22120.30", "4"].map((x, k) => addend(x, k === 0)).join(""),
    "1.20 \u2212 0.30 + 4",
  );
  assert.equal(addend("\u22121", true), "\u22121");
});

Deno.test("no number of any size has a short form of more than eight characters", () => {
  const random = rng(3);
  for (let round = 0; round < 500; round += 1) {
    const x = (random() - 0.5) * 10 ** (random() * 20 - 4);
    assert.ok(short(x).length <= 8, `${x} became ${short(x)}`);
  }
});
