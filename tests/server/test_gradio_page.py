"""Gradio's page as it is sent: its head, its sheets in one, packed where that is understood."""

import gzip
import re

from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from qa_demo.page import routes, style
from qa_demo.pictures import Pictures
from qa_demo.server import gradio_page
from qa_demo.server.gradio_page import OFF, early, gradio_files, gradio_style, head, with_head
from qa_demo.shown import without_model
from tests.chapters.given import full

PAGE = b"""<head><link rel="stylesheet" href="./a.css"><script>{"theme_hash": "0a1"}</script></head>
<body>&lt;/head></head><gradio-app></body>"""


def test_a_page_is_sent_with_its_head_which_switches_gradios_sheets_off_and_texts_as_they_are():
    parts = iter([PAGE, b"more"])
    routes = [
        Route("/", lambda _: HTMLResponse(PAGE)),
        Route("/parts", lambda _: StreamingResponse(parts, media_type="text/html")),
        Route("/text", lambda _: PlainTextResponse(PAGE)),
    ]
    get = TestClient(early(Starlette(routes=routes))).get
    assert get("/").content + b"more" == get("/parts").content == with_head(PAGE) + b"more"
    assert get("/text").content == PAGE
    page = with_head(PAGE).decode()
    assert page.count("</head>") == PAGE.count(b"</head>") and page.count(head()) == 1
    assert "JavaScript, which is off in this browser.</noscript><gradio-app>" in page
    assert f'<link rel="stylesheet" {OFF}href="./a.css">' in page and "theme.css?v=0a1" in page
    assert all(f'href="static/page/{x}"' in head() for x in ("page.js", "page.css", "gradio.css"))
    names = gradio_files()
    assert len(names) > 40 and all(f'href="assets/{name}"' in head() for name in names)
    assert head().count(OFF) == sum(name.endswith(".css") for name in names)


def test_gradios_rules_stand_in_one_layer_and_another_gradio_is_sent_as_it_is(monkeypatch):
    text = gradio_style()
    assert text.startswith("@layer gradio {") and text.count("{") == text.count("}")
    assert ".hidden-css" in text and "!important" not in text
    assert "@import" not in text and "url(./" not in text
    monkeypatch.setattr(gradio_page, "FRONTEND", gradio_page.FRONTEND / "another")
    monkeypatch.setattr(gradio_page, "gradio_files", gradio_files.__wrapped__)
    assert gradio_page.gradio_files() == ()
    assert OFF.encode() not in with_head(PAGE).replace(head().encode(), b"")


def test_what_the_head_names_is_served():
    get = TestClient(Starlette(routes=routes(Pictures({}, without_model, without_model)))).get
    named = re.findall(r'href="(static/page/[^"]+)"', head())
    assert len(named) == 5 and get("/health").status_code == 503
    for name in [n for n in [*named, "static/page/plotly.js"] if not n.endswith("woff2")]:
        first, packed = (get(name, headers={"accept-encoding": x}) for x in ("identity", "gzip"))
        assert first.status_code == 200 and len(first.content) > 1000
        assert first.headers["cache-control"] == "no-cache", "two versions never mix"
        assert packed.content == first.content and packed.headers["content-encoding"] == "gzip"
        assert packed.num_bytes_downloaded <= len(gzip.compress(first.content, 9))
        assert "content-encoding" not in first.headers
        assert packed.headers["vary"] == first.headers["vary"] == "accept-encoding"
        assert get(name, headers={"if-none-match": first.headers["etag"]}).status_code == 304
    for name in re.findall(r'url\("(fonts/[\w-]+\.woff2)"\)', style()):
        font = get(f"static/page/{name}")
        assert font.content[:4] == b"wOF2" and "max-age" in font.headers["cache-control"]
        assert "content-encoding" not in font.headers
    assert "url(data:" not in style().replace('"', "") and style(saved=True).count("data:font") == 7


def test_half_a_letter_in_a_request_is_read_as_a_whole_one_by_a_page_in_health():
    client = TestClient(Starlette(routes=routes(full())))
    assert (well := client.get("/health")).json() == {"status": "ok"} and well.status_code == 200
    half = b'{"state": {"question": "Who \\ud800?", "context": "Ada."}}'
    made = client.post("/picture", content=half)
    kind = {"cache-control": "no-store", "content-type": "application/json"}
    assert made.json()["question"] == "Who \ufffd?" and kind.items() <= made.headers.items()
    huge = b'{"state": {"selection": [%d, %d]}}' % (1 - 10**18, 10**18)  # an answer holds 64 bits
    assert "selection.1: must be a valid integer" in client.post("/picture", content=huge).text
