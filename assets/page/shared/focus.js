// The ring of the focus is for the keyboard: after a press of the mouse it stands round boxes only.

document.addEventListener("pointerdown", () => document.body.classList.add("by-mouse"), true);
document.addEventListener("keydown", () => document.body.classList.remove("by-mouse"), true);
