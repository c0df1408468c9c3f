"""Commands that train, evaluate and export the bundled models."""
