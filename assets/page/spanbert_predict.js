// Step 2 of chapter 8: the guesses of MLM, SBO and both, and the wires of the boundary head.

export function drawPredict() {}
