"""The page where an answer, a script, a sheet or a font does not come, or never ends."""

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import drawn, ready
from tests.browser.test_lessons import HURRY, cut

pytestmark = pytest.mark.browser
SPANS = {"example": "oresund", "chapter": "spans"}
HASTY = """{ const of = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (ms) => of(Math.min(ms / 30, 4000)); }"""
"""A page that waits a thirtieth of the time for a reply, and at most 4 s."""
LATE = "{ const now = performance.now.bind(performance); performance.now = () => now() + 11_000; }"
"""A page that began 11 s ago."""


def never(route: Route) -> None:
    """An answer that does not come and does not fail."""


def test_a_page_without_one_of_its_files_says_so_and_comes_at_a_press(open_page):
    """Each time it is loaded another one does not come, and then all do."""
    spoilt = {"url": "**/page.js", "handler": never, "times": 1}
    page = open_page(SPANS, script=LATE, spoilt=spoilt)
    again = page.get_by_role("alert").get_by_role("button", name="Load the page again")
    for file in ("assets/index*.js", "assets/Blocks*.js"):  # a sheet comes by itself, see below
        expect(again).to_be_visible()
        page.route(f"**/{file}", never)  # until it is asked for: a slow page may not be so far
        with page.expect_request(f"**/{file}"), page.expect_navigation(wait_until="commit"):
            again.click()
        expect(again).to_be_visible()
        page.unroute(f"**/{file}")
    again.click()
    ready(page)
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator("[data-block=idea]")).to_be_visible()


@pytest.mark.parametrize("how", [never, cut])
def test_a_sheet_that_did_not_come_is_asked_for_again(open_page, how):
    spoilt = {"url": "**/page.css", "handler": how, "times": 1}
    page = open_page(SPANS, refused=True, script=LATE, spoilt=spoilt)
    ready(page)
    expect(page.locator("#fill-boxes")).to_be_hidden()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_late_picture_is_waited_for_in_words_and_a_strange_refusal_has_some(open_page):
    held, strange = list[Route](), {"status": 404, "json": {"detail": "Not Found"}}
    busy = {"status": 202, "json": {"model": "it", "place": 0, "seconds": 1, "done": 0}}
    page = open_page({"chapter": "start_end", "step": 2}, refused=True)
    page.route("**/picture", lambda route: held.append(route))
    slider = page.locator("#chapter").get_by_role("slider")
    was = slider.input_value()
    slider.press("ArrowLeft")
    expect(page.locator(".say")).to_have_text("Waiting for the server …")
    page.route("**/picture", lambda route: route.fulfill(**busy))
    held[0].fulfill(**busy)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".say")).to_be_empty()
    expect(slider).to_have_value(was)
    page.route("**/picture", lambda route: route.fulfill(**strange))
    page.get_by_role("tab", name="Spans").click()
    expect(page.locator(".say")).to_have_text("The server refused this, with status 404.")


def test_a_lost_reply_is_asked_for_again_and_spoils_neither_what_is_pinned_nor_saved(open_page):
    lost = {"url": "**/picture", "times": 1}
    page = open_page(SPANS, refused=True, script=HASTY, spoilt=lost | {"handler": cut})
    page.route(**lost, handler=never)
    expect(page.locator(".say")).to_contain_text("does not answer; asking again")
    ready(page)
    expect(page.locator(".say")).to_be_empty()
    page.route("**/saved", never, times=1)
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".say")).to_contain_text("press Save again")
    page.route("**/picture", cut, times=1)
    page.get_by_role("button", name="Pin").click()
    expect(page.locator(".pinned [data-block=square]")).to_be_visible()


def test_a_figure_without_plotly_says_so_and_is_drawn_when_it_comes_in_other_fonts(open_page):
    fonts = {"url": "**/*.woff2", "handler": never}
    page = open_page(SPANS, refused=True, script=HURRY, spoilt=fonts)
    for url in ("**/serif*.woff2", "**/plotly.js"):
        page.route(url, cut)
    other = {"content-type": "text/javascript", "cache-control": "no-store"}
    page.route("**/plotly.js", lambda at: at.fulfill(body="0", headers=other), times=1)
    figure = page.locator(".figure[data-block=square]")
    expect(figure).to_contain_text("has not come yet; its numbers stand in the table")
    page.unroute("**/plotly.js")
    drawn(page)
    expect(figure).not_to_contain_text("has not come yet")
