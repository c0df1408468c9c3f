"""gradio, imported without the files that it writes for editors."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_interface_files() -> Iterator[None]:
    """Keep gradio from writing its interface files anew while it is imported.

    For each of its components gradio parses the source twice, fills a template and compares it with
    a .pyi file beside it: 0.9 of the 2.5 s of its import on two slow cores, at every start. It
    leaves a class alone that stands in no file, so here none of its components stands in one.
    """
    known = inspect.getfile

    def file_of(described: object) -> str:
        if type(described).__name__ == "ComponentMeta":
            raise OSError("no interface file is wanted")
        return known(described)  # type: ignore[arg-type]

    inspect.getfile = file_of  # type: ignore[assignment]
    try:
        yield
    finally:
        inspect.getfile = known
