"""Parts of figures and texts that take plain values; no chapter, no state, no model."""
