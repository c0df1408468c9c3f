import assert from "node:assert/strict";
import { landing } from "../../../assets/page/lessons/spotlight.js";

Deno.test("a part that fits moves as little as needed, a taller one comes with its beginning", () => {
  assert.equal(landing(300, 540), "nearest");
  assert.equal(landing(540, 540), "nearest");
  assert.equal(landing(541, 540), "start");
});
