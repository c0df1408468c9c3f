// As much of a document as building elements from data needs.

class FakeNode {
  /** @type {FakeNode[]} */
  childNodes = [];

  /** @param {FakeNode} child */
  append(child) {
    this.childNodes.push(child);
  }

  /** @returns {string} */
  get textContent() {
    return this.childNodes.map((c) => c.textContent).join("");
  }
}

class FakeText extends FakeNode {
  /** @param {string} data */
  constructor(data) {
    super();
    this.data = data;
  }

  /** @override */
  get textContent() {
    return this.data;
  }

  get outerHTML() {
    return this.data.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  }
}

class FakeElement extends FakeNode {
  /** @type {Map<string, string>} */
  attributes = new Map();

  /** @param {string} name */
  constructor(name) {
    super();
    this.name = name;
  }

  /** @param {string} name @param {string} value */
  setAttribute(name, value) {
    this.attributes.set(name, value);
  }

  /** @returns {string} */
  get outerHTML() {
    const held = [...this.attributes].map(([name, value]) => ` ${name}="${value}"`).join("");
    const inside = this.childNodes.map((c) => /** @type {FakeElement} */ (c).outerHTML).join("");
    return `<${this.name}${held}>${inside}</${this.name}>`;
  }
}

/** Put the document where modules look for it. */
export function page() {
  Object.assign(globalThis, {
    Node: FakeNode,
    document: {
      createElement: (/** @type {string} */ name) => new FakeElement(name),
      createTextNode: (/** @type {string} */ text) => new FakeText(text),
    },
  });
}
