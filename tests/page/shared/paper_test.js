// What fits on paper, and which conditions of a style sheet hold there.
import { equal } from "node:assert/strict";
import { fitting, paperMedia } from "../../../assets/page/shared/paper.js";

Deno.test("a part is made smaller until it fits in both directions", () => {
  equal(fitting(1400, 100), 0.5);
  equal(fitting(700, 1910), 0.5);
  equal(fitting(700, 955), 1);
  equal(fitting(1000, 9000), 0.4); // smaller could not be read
});

Deno.test("on paper the rules for print and for wide screens hold", () => {
  equal(paperMedia("print"), "all");
  equal(paperMedia("(max-width: 640px)"), "not all");
  equal(paperMedia("(min-width: 961px)"), "all");
  equal(paperMedia("screen"), "not all");
  equal(paperMedia("(prefers-reduced-motion: reduce)"), "(prefers-reduced-motion: reduce)");
});
