import assert from "node:assert/strict";
import { scaleLinear, ticks } from "../../../assets/page/shared/scales.js";
import { rng } from "../random.js";

Deno.test("ticks of an axis by hand", () => {
  const found = ticks(scaleLinear([-6, 12], [0, 600]), { room: 48, em: 16 });
  assert.deepEqual(found.map((t) => t.value), [-6, -4, -2, 0, 2, 4, 6, 8, 10, 12]);
  assert.deepEqual(found[0], { value: -6, at: 0, text: "\u22126" });
});

Deno.test("a million has short labels, and few of them", () => {
  const found = ticks(scaleLinear([-6e6, 12e6], [0, 600]), { room: 48, em: 16 });
  assert.deepEqual(found.map((t) => t.text).slice(0, 4), ["\u22126M", "\u22124M", "\u22122M", "0"]);
  assert.ok(found.length < 13);
});

Deno.test("no step is finer than the smallest one that is allowed", () => {
  const found = ticks(scaleLinear([0, 3], [0, 900]), { room: 20, least: 1 });
  assert.deepEqual(found.map((t) => t.value), [0, 1, 2, 3]);
  const tiny = ticks(scaleLinear([0.2, 1.4], [0, 900]), { room: 20, least: 1 });
  assert.deepEqual(tiny.map((t) => t.value), [1]);
});

Deno.test("a domain of one number has at most that tick", () => {
  assert.deepEqual(ticks(scaleLinear([3, 3], [0, 100]), { room: 20 }).map((t) => t.text), ["3"]);
});

Deno.test("ticks lie inside, apart, in even steps of 1, 2 or 5, and their labels do not touch", () => {
  const random = rng(4);
  for (let round = 0; round < 1000; round += 1) {
    const low = (random() - 0.5) * 10 ** (random() * 9 - 2);
    const high = low + Math.abs(low) * random() + 10 ** (random() * 8 - 2);
    const pixels = 120 + random() * 1500;
    const room = 20 + random() * 60;
    const em = random() < 0.5 ? 0 : 12 + random() * 14;
    const down = random() < 0.5;
    const scale = scaleLinear([low, high], down ? [pixels, 0] : [0, pixels]);
    const found = ticks(scale, { room, em });
    assert.ok(found.length <= pixels / room + 1);
    for (const { value, at } of found) {
      assert.ok(value >= low && value <= high && at >= -1e-6 && at <= pixels + 1e-6);
    }
    if (found.length < 3) continue;
    const step = found[1].value - found[0].value;
    const lead = Number(step.toExponential(6).split("e")[0]);
    assert.ok([1, 2, 5, 10].some((k) => Math.abs(lead - k) < 1e-3), `step ${step}`);
    const gap = Math.abs(found[1].at - found[0].at);
    assert.ok(gap >= room - 1e-6);
    const widest = Math.max(...found.map((t) => t.text.length));
    if (em) assert.ok(gap >= widest * 0.56 * em, `${found.map((t) => t.text)} in ${pixels}`);
    assert.equal(new Set(found.map((t) => t.text)).size, found.length, "labels differ");
  }
});
