import assert from "node:assert/strict";
import { page } from "../fake_dom.js";
import { emphasised } from "../../../assets/page/shared/emphasis.js";

page();

const html = (text) =>
  emphasised(text).map((part) => typeof part === "string" ? part : part.outerHTML).join("");

Deno.test("stars set a term apart, backticks what is typed", () => {
  assert.equal(
    html("*Loss*: run `python -m x *.json` and *look*."),
    "<em>Loss</em>: run <code>python -m x *.json</code> and <em>look</em>.",
  );
});

Deno.test("all else is text as it stands", () => {
  for (const text of ["", "2 * 3", "a `b", "**", "``", "<b>*</b>"]) {
    assert.deepEqual(emphasised(text), text ? [text] : []);
  }
  assert.equal(html("*<img src=x>*"), "<em>&lt;img src=x></em>");
});
