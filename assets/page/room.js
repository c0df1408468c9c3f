// A class: this page leads a room, follows one, or neither.

/** No room yet. */
export function alone() {
  return {
    seat: () => undefined,
    leads: () => false,
    waits: () => false,
    moved: () => {},
    bar: () => null,
    board: () => null,
    doors: () => null,
  };
}
