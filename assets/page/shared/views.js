// What a chapter keeps for each place it draws in, from one drawing to the next.

/**
 * A chapter that keeps a view for each root, with `picture` and `page` as they are now: `paint`
 * draws it, `select` moves its marks. A root whose content was replaced since gets a new view.
 * @param {{make: (root: any, picture: any, page: any) => any, paint: (view: any) => void,
 *   select?: (view: any) => void}} chapter `make` gives a view whose `stage` stands in the root
 */
export function kept({ make, paint, select = paint }) {
  const views = new WeakMap();
  /** @param {(view: any) => void} act on a view that stands */
  const at =
    (act) => (/** @type {any} */ root, /** @type {any} */ picture, /** @type {any} */ page) => {
      const known = views.get(root);
      const stands = known && root.contains(known.stage);
      const view = stands ? known : make(root, picture, page);
      views.set(root, view);
      Object.assign(view, { root, picture, page });
      return stands ? act(view) : paint(view);
    };
  return { draw: at(paint), select: at(select) };
}
