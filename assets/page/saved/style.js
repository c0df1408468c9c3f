// In place of shared/style.js: a saved page holds all style sheets already.

export const sheets = () => Promise.resolve();
