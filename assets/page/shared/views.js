// What a chapter keeps for each place it draws in, from one drawing to the next.

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
