import assert from "node:assert/strict";
import { isBox, LIST, shortcut } from "../../../assets/page/shared/shortcuts.js";

/** An element of one kind, as `closest` and `matches` see it. @param {string} own */
const at = (own) => {
  const node = {
    matches: (/** @type {string} */ list) => list.split(", ").includes(own),
    /** @returns {any} */
    closest: (/** @type {string} */ list) => {
      const kind = own.startsWith("[type") ? "input" : own;
      return list.split(", ").includes(kind) ? node : null;
    },
  };
  return node;
};
const none = at("button");

Deno.test("each key of the list asks for what the list says", () => {
  const asked = (/** @type {string} */ key) => shortcut({ key, target: none });
  for (let n = 1; n <= 9; n += 1) assert.deepEqual(asked(String(n)), { kind: "chapter", by: n });
  assert.deepEqual(asked("["), { kind: "step", by: -1 });
  assert.deepEqual(asked("]"), { kind: "step", by: 1 });
  const kinds = { e: "examples", v: "veil", p: "present", "?": "keys" };
  for (const [key, kind] of Object.entries(kinds)) {
    assert.deepEqual(asked(key), { kind, by: 0 });
    assert.deepEqual(asked(key.toUpperCase()), { kind, by: 0 });
    assert.ok(LIST.some(([name]) => name === key.toUpperCase()), key);
  }
  assert.deepEqual(asked("n"), { kind: "case", by: 1 });
  assert.deepEqual(asked("N"), { kind: "case", by: -1 });
  for (const key of ["0", "a", "Enter", "Tab", "ArrowLeft", "F1", "ee", "12", " ", "Escape"]) {
    assert.equal(asked(key), null);
  }
});

Deno.test("a key with a modifier belongs to the browser, a bracket typed with one does not", () => {
  for (const key of ["1", "e", "v", "p", "?"]) {
    for (const name of ["ctrlKey", "altKey", "metaKey"]) {
      assert.equal(shortcut({ key, target: none, [name]: true }), null);
    }
  }
  const graph = (/** @type {string} */ name) => name === "AltGraph";
  const altGraph = { ctrlKey: true, altKey: true, target: none, getModifierState: graph };
  assert.deepEqual(shortcut({ key: "[", ...altGraph }), { kind: "step", by: -1 });
  assert.deepEqual(shortcut({ key: "]", altKey: true, target: none }), { kind: "step", by: 1 });
  assert.equal(shortcut({ key: "[", ctrlKey: true, target: none }), null); // back, in some browsers
  assert.equal(shortcut({ key: "[", metaKey: true, target: none }), null);
});

Deno.test("inside a box every key is a letter", () => {
  for (const kind of ["input", "textarea", "select", "[contenteditable]", "[role=combobox]"]) {
    assert.ok(isBox(at(kind)), kind);
    for (const key of ["1", "[", "e", "v", "p", "?"]) {
      assert.equal(shortcut({ key, target: at(kind) }), null);
    }
  }
  assert.ok(isBox(at("dialog")), "the list of keys closes by Esc, and takes no other");
  for (const kind of ["[type=range]", "[type=checkbox]", "[type=radio]", "button"]) {
    assert.ok(!isBox(at(kind)), kind);
  }
  assert.ok(!isBox(null) && !isBox({}), "a document has no `closest`");
});

Deno.test("a key held down, one of an input method and one already answered do nothing", () => {
  for (const name of ["repeat", "isComposing", "defaultPrevented"]) {
    assert.equal(shortcut({ key: "v", target: none, [name]: true }), null);
  }
});
