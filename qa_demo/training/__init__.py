"""Commands that train, measure and export the bundled models and what is stored of them.

They alone write `assets/reader`, `assets/spanbert`, `assets/readings`,
`assets/attributions.npz` and `assets/replay`.
Imports core and model: nothing of the page, and the page imports nothing of this room.
"""
