// The running page's style sheets and fonts, there before anything is measured.

export function sheets() {
  /** @type {any} */
  const link = document.querySelector('link[href="static/page/page.css"]');
  return new Promise((done) => {
    if (link.sheet) done(null);
    else link.onload = link.onerror = done;
  });
}
