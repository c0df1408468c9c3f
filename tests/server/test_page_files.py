"""The two scripts and the style sheet as the server hands them out."""

import gzip

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from qa_demo.server.page_files import page_files


def test_files_are_packed_where_that_is_understood_and_sent_again_only_when_changed() -> None:
    files = page_files()
    client = TestClient(Starlette(routes=[Route(f"/{n}", f.answer) for n, f in files.items()]))
    for name, file in files.items():
        packed = client.get(f"/{name}", headers={"accept-encoding": "gzip"})
        plain = client.get(f"/{name}", headers={"accept-encoding": "identity"})
        assert packed.content == plain.content == file.plain == gzip.decompress(file.packed)
        assert packed.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        assert {r.headers["cache-control"] for r in (packed, plain)} == {"no-cache"}
        again = client.get(f"/{name}", headers={"if-none-match": packed.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    assert sum(len(file.packed) for file in files.values()) < 500_000


def test_what_a_visitor_needs_at_once_is_the_smaller_part() -> None:
    files = page_files()
    assert len(files["page.js"].packed) < len(files["rest.js"].packed)
    assert '"answer/chapter.js": async' in files["page.js"].plain.decode()
    assert files["rest.js"].plain.decode().count('/chapter.js": async') == 8
