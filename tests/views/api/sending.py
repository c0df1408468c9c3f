"""One request to the running page, whatever it is answered."""

import json
import urllib.error
import urllib.request
from typing import Any


def send(address: str, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
    """Status and body of one request; with a body, JSON or bytes as they are, it is a POST."""
    headers = {"content-type": "application/json", **headers}
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    asked = urllib.request.Request(address + path, data=data, headers=headers)
    try:
        with urllib.request.urlopen(asked, timeout=60) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()
