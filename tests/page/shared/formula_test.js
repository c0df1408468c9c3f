import assert from "node:assert/strict";
import { page } from "../fake_dom.js";

page();
const { formula } = await import("../../../assets/page/shared/formula.js");

Deno.test("each part has the class of its role; sub and sup are elements of their own", () => {
  const node = formula([
    { text: "s", role: "start" },
    { text: "i", role: "sub" },
    { text: "2", role: "sup" },
  ]);
  assert.equal(
    node.outerHTML,
    '<p class="formula"><span class="role-start">s</span><sub>i</sub><sup>2</sup></p>',
  );
});

Deno.test("hostile text stays text", () => {
  const node = formula([{ text: "<img src=x onerror=alert(1)>", role: "quiet" }]);
  assert.equal(node.textContent, "<img src=x onerror=alert(1)>");
  assert.ok(!node.outerHTML.includes("<img"));
});

Deno.test("nothing to show is an empty line", () => {
  assert.equal(formula(null).outerHTML, '<p class="formula"></p>');
});
