"""Files that commands write: whole, or not at all."""

import os
from pathlib import Path

from qa_demo.core.base import BadInput


def write_file(path: Path, text: str) -> int:
    """Write the text as UTF-8; the bytes it holds.

    A plain file gets its name once it is complete: on a full disk what stood there before stays.
    What is no plain file (`/dev/stdout`, a named pipe) is written to as it is. Errors: BadInput.
    """
    raw, part = text.encode("utf-8"), path.with_name(f"{path.name}.part")
    whole = not path.exists() or path.is_file()
    try:
        if not whole:
            path.write_bytes(raw)
            return len(raw)
        try:
            part.write_bytes(raw)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as fault:
        raise BadInput(f"{path.name} cannot be written: {fault.strerror}") from fault
    return len(raw)
