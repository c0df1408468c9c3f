"""What a written report holds, read as its script reads it."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any


def data_of(page: Path | str) -> Any:
    """The data of a report, from its file or its text."""
    text = page.read_text(encoding="utf-8") if isinstance(page, Path) else page
    block = text.split('<script type="application/gzip" id="data">')[1].split("</script>")[0]
    data = json.loads(gzip.decompress(base64.b64decode(block)))
    return data | {"rows": _rows(data["rows"])}


def _rows(columns: dict[str, Any]) -> list[dict[str, Any]]:
    fields = [of if isinstance(of, list) else _rows(of) for of in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*fields, strict=True)]
