// What a chapter keeps for each place it draws in, from one drawing to the next.

/**
 * A chapter that keeps a view for each root, with `picture` and `page` as they are now: `paint`
 * draws it, `select` moves its marks.
 * @param {{make: (root: any, picture: any, page: any) => any, paint: (view: any) => void,
 *   select?: (view: any) => void}} chapter `make` gives a view whose `stage` stands in the root
 */
export function kept({ make, paint, select = paint }) {
  const views = keptViews((view) => view.stage);
  /** @param {any} root @param {any} picture @param {any} page */
  const of = (root, picture, page) => {
    const view = views.of(root, () => make(root, picture, page));
    return Object.assign(view, { root, picture, page });
  };
  return {
    draw: (root, picture, page) => paint(of(root, picture, page)),
    select: (root, picture, page) => {
      const known = views.known(root);
      const view = of(root, picture, page);
      if (view === known) select(view);
      else paint(view);
    },
  };
}

/**
 * The views of a chapter, by the root that each draws in. A root whose content was replaced since
 * gets a new one.
 * @param {(view: any) => Node} part the element of a view that stands in its root
 */
export function keptViews(part) {
  const views = new WeakMap();
  return {
    /**
     * The view of a root, made when there is none.
     * @param {Element} root
     * @param {() => any} make
     */
    of(root, make) {
      const known = views.get(root);
      if (known && root.contains(part(known))) return known;
      const view = make();
      views.set(root, view);
      return view;
    },
    /**
     * The view of a root that was drawn before.
     * @param {Element} root
     */
    known: (root) => views.get(root),
  };
}
