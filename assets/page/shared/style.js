// The running page's style sheets and fonts, loaded once and before anything is measured.

import { el } from "./dom.js";

export function sheets() {
  const href = new URL("static/page/page.css", document.baseURI).href;
  return new Promise((done) => {
    document.head.append(el("link", { rel: "stylesheet", href, onload: done, onerror: done }));
  });
}
