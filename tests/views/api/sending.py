"""One request to the running page, whatever it is answered."""

import urllib.error
import urllib.request


def send(address: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
    """Status and body of one request; with a body it is a POST."""
    headers = {"content-type": "application/json", **headers}
    asked = urllib.request.Request(address + path, data=body, headers=headers)
    try:
        with urllib.request.urlopen(asked, timeout=60) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()
