"""The page: one module per chapter, `present` pure and `build` wiring."""
