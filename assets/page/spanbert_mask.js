// Step 1 of chapter 8: which pieces are hidden, by hand or by the law.

export function drawMask() {}
