import assert from "node:assert/strict";
import { wholeNumber } from "../../../assets/page/shared/setting.js";
import { rng } from "../random.js";

const LENGTH = { name: "max_answer_length", low: 1, high: 200 };

Deno.test("a typed number by hand: both ends are allowed, blanks around it are not seen", () => {
  assert.deepEqual(wholeNumber("1", LENGTH), { value: 1 });
  assert.deepEqual(wholeNumber(" 200 ", LENGTH), { value: 200 });
  assert.deepEqual(wholeNumber("+30", LENGTH), { value: 30 });
});

Deno.test("a refusal names what is allowed and what came", () => {
  const allowed = "max_answer_length must be a whole number from 1 to 200";
  const cases = { "": "; the box is empty", "500": ", got 500", "0": ", got 0", "-3": ", got -3" };
  for (const [text, end] of Object.entries(cases)) {
    assert.deepEqual(wholeNumber(text, LENGTH), { refusal: allowed + end });
  }
  for (const text of ["3.5", "1e2", "thirty", "0x10", "1 2", "NaN", "९"]) {
    assert.deepEqual(wholeNumber(text, LENGTH), { refusal: `${allowed}, got ${text}` });
  }
  assert.deepEqual(wholeNumber("<img src=x onerror=alert(1)>", LENGTH), {
    refusal: `${allowed}, got <img src=x o…`,
  });
});

Deno.test("every whole number is taken exactly where the limits hold it", () => {
  const next = rng(7);
  for (let k = 0; k < 500; k += 1) {
    const value = Math.floor(next() * 600) - 200;
    const read = wholeNumber(String(value), LENGTH);
    assert.equal("value" in read, value >= 1 && value <= 200);
    if ("value" in read) assert.equal(read.value, value);
  }
});
