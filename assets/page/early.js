// What stands in the page's HTML before every other script.

{ // The clock of gradio's first loader outlives it, 60 times a second for as long as the page is
  // open, which is a twentieth of a core.
  const frame = requestAnimationFrame.bind(globalThis);
  const clock = /^.{0,40}performance\.now\(\)[^;]{0,40}1e3/;
  globalThis.requestAnimationFrame = (run) =>
    clock.test(String(run)) ? setTimeout(run, 1000) : frame(run);
}

{ // Whatever did not come, script, sheet or answer: a page that shows nothing says so. A browser
  // paints nothing before the sheets: those that are late are asked for again, meanwhile it does.
  let late = 10_000;
  const failed = new WeakSet();
  addEventListener("error", (/** @type {any} */ event) => failed.add(event.target), true);
  const again = document.createElement("button"), note = document.createElement("p");
  again.textContent = "Load the page again";
  again.onclick = () => location.reload();
  note.setAttribute("role", "alert");
  note.style = "position: relative; z-index: 9; margin: 0; padding: 10px 24px";
  note.append("A part of this page has not come yet. If it stays away: ", again);
  const look = setInterval(() => {
    /** @type {any[]} */
    const links = [...document.querySelectorAll("link[rel=stylesheet]")];
    const missing = links.filter((link) => !link.disabled && (!link.sheet || failed.has(link)));
    const shows = document.querySelector("[data-block], :is(.say, .waits):not(:empty)");
    if (shows) note.remove();
    if (shows && !missing.length) clearInterval(look);
    if (performance.now() < late) return;
    late *= 2; // else a slow network would never bring a sheet
    for (const link of missing) {
      const other = link.cloneNode();
      other.href = `${link.href}?again`;
      link.replaceWith(other);
    }
    if (shows) return;
    if (!document.body) document.open(), document.close(); // the page itself was cut off
    document.body.prepend(note);
  }, 500);
}
