// A chapter's own style sheet, loaded once and before anything is measured: await style(new
// URL("./x.css", import.meta.url)).

import { el } from "./dom.js";

export const style = (url) =>
  new Promise((done) => {
    document.head.append(
      el("link", { rel: "stylesheet", href: url.href, onload: done, onerror: done }),
    );
  });
