"""transformers, whole: for threads that may be the second to import it."""

import importlib
import sys
from typing import Any


def imported(name: str) -> Any:
    """The module of that name once its import is complete.

    transformers puts another object in its own place at the end of its import. `import
    transformers` in a second thread waits for that end and is then given the object from before,
    which has no BertConfig; sys.modules holds the right one.
    """
    importlib.import_module(name)
    return sys.modules[name]


def transformers() -> Any:
    """The library of models and tokenizers, loaded at its first use."""
    return imported("transformers")
