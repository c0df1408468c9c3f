// The address: what is packed unpacks to the same, for any text; Python reads the same lines
// (tests/views/link/test_links.py).

import "../fake_dom.js";

const { fieldsOf, lines, pack, packAtOnce } = await import(
  "../../../assets/page/shared/address.js"
);

async function unpack(fragment) {
  const [version, body] = fragment.slice(1).split(".");
  if (version !== "2") throw new Error(`version ${version}`);
  const letters = atob(body.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return await new Response(stream).text();
}

function same(found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);
  }
}

Deno.test("what is packed unpacks to its lines", async () => {
  const texts = ["", "Who?", "a\nb\u2028c", "👩‍🚀 جسر", "x".repeat(20_000), "#&=%.", '"\\'];
  for (const question of texts) {
    const fields = { question, span: [0, 1, 2], temperature: 0.1 + 0.2, marks: [[], null] };
    const text = await unpack(await pack(fields));
    same(text, lines(fields));
    const rows = text.split("\n");
    same(rows.pop(), ".");
    same(Object.fromEntries(rows.map((row) => JSON.parse(row))), fields);
  }
});

Deno.test("what is packed at once unpacks to the same lines, across blocks too", async () => {
  for (const n of [0, 1, 65_534 - 20, 65_535, 65_536, 200_000]) {
    const fields = { question: "Who?", paragraph: "ü".repeat(n / 2) + "x".repeat(n % 2) };
    same(await unpack(packAtOnce(fields)), lines(fields));
  }
});

Deno.test("a fragment holds letters that no address changes", async () => {
  const fragment = await pack({ question: "Äß👩‍🚀".repeat(50) });
  if (!/^#2\.[A-Za-z0-9_-]+$/.test(fragment)) throw new Error(fragment);
});

const READING = { question: "Who?", context: "Ada met Grace." };
const KNOWN = { reader: ["bundled"], windows: [384, 128, 64], span: [0, 1, 1] };

Deno.test("the texts come first, what the browser knows last", () => {
  const fields = fieldsOf(READING, KNOWN, { chapter: "why", step: "dots", veil: null });
  same(fields, {
    question: "Who?",
    paragraph: "Ada met Grace.",
    ...KNOWN,
    chapter: "why",
    "page.step": "dots",
  });
});

Deno.test("an example stands for its texts, and texts that are too long are named", () => {
  const known = { example: ["bridge", 7], ...KNOWN };
  same(fieldsOf(READING, known, { chapter: "bio" }), { ...known, chapter: "bio" });
  same(fieldsOf(READING, known, { chapter: "bio" }, { texts: false }), {
    ...known,
    chapter: "bio",
  });
  same(fieldsOf(READING, KNOWN, { chapter: "bio" }, { texts: false, reader: false }), {
    windows: KNOWN.windows,
    span: KNOWN.span,
    chapter: "bio",
    "page.texts": false,
  });
});
