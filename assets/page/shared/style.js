// The running page's style sheets and fonts, there before anything is measured.

export function sheets() {
  const link = document.querySelector('link[href$="static/page/page.css"]');
  return new Promise((done) => {
    if (link.sheet) done();
    else link.onload = link.onerror = done;
  });
}
