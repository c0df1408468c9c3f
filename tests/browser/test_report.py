"""The report in a browser without a network: hostile texts, filters, rows that open."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from qa_demo.cli.report import html
from qa_demo.figures.evaluation import report_data
from qa_demo.views.link.fragment import parse
from tests.figures.test_evaluation import ASKED, CONTEXT, HOSTILE, RUN, lines

OPTIONS = {
    "max_seq_length": 60,
    "doc_stride": 12,
    "max_query_length": 40,
    "max_answer_length": 30,
    "n_best_size": 20,
}


RUN_A = RUN | {"options": OPTIONS, "reader": f"A {HOSTILE}"}
DATA = report_data(lines(), RUN_A, lines(null=90.0), RUN_A | {"reader": "B"})


def report(tmp_path: Path, page: str, data: dict = DATA) -> Path:
    path = tmp_path / "report.html"
    path.write_text(html(data | {"page": page}), encoding="utf-8")
    return path


@pytest.fixture
def opened(opened: Callable[..., Page], tmp_path: Path, site: str) -> Page:
    page = opened(report(tmp_path, site))
    expect(page.get_by_role("heading", name="Every question")).to_be_visible()
    return page


def test_texts_stay_texts_and_the_table_filters(opened: Page) -> None:
    table = opened.get_by_role("table").last
    rows = table.get_by_role("row")
    expect(rows).to_have_count(1 + len(ASKED))
    expect(rows.nth(1)).to_contain_text(f"{ASKED[0][0]} {HOSTILE}")
    expect(opened.get_by_role("heading", level=1)).to_contain_text(HOSTILE)
    expect(opened.get_by_text("Never to answer would be right for 40.0 %.")).to_be_visible()
    assert opened.locator("main img, main script").count() == 0
    for kind in (one for one in DATA["kinds"] if one["of"][0]):
        opened.get_by_role("combobox", name="Kind").select_option(kind["name"])
        expect(rows).to_have_count(1 + kind["of"][0]["count"])
    opened.get_by_role("combobox", name="Kind").select_option("")
    opened.get_by_role("combobox", name="Readers").select_option("only the second right")
    expect(opened.get_by_text("No question fits.").or_(rows.nth(1))).to_be_visible()
    opened.get_by_role("combobox", name="Readers").select_option("")
    opened.get_by_role("searchbox", name="Holds the text").fill("when did it open")
    expect(rows).to_have_count(2)
    assert opened.locator("svg.picture").count() == 4
    assert opened.evaluate("document.documentElement.scrollWidth") <= 1280


def test_nothing_is_wider_than_its_place(opened: Page) -> None:
    long = "surest first, by the calibrated probability of its best span"
    opened.get_by_role("combobox", name="Order").evaluate(
        "(menu, text) => menu.append(new Option(text))", long
    )
    for width in (1100, 700, 375, 1280):
        opened.set_viewport_size({"width": width, "height": 900})
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        over = opened.locator(".bars button, svg.picture").evaluate_all(
            "(all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).length"
        )
        assert over == 0


def test_bars_of_one_slice_have_one_scale(opened: Page) -> None:
    widths = opened.locator(".bars").evaluate_all(
        "(lists) => lists.map((list) => [...list.querySelectorAll('.track')]"
        ".map((track) => Math.round(track.getBoundingClientRect().width)))"
    )
    assert max(len(one) for one in widths) > 1
    assert all(len(set(one)) <= 1 for one in widths)


def test_a_bar_filters_the_table_and_the_address_keeps_it(opened: Page) -> None:
    table = opened.get_by_role("table").last
    bar = opened.locator('.grid [data-group="who"]')
    said = bar.locator(".says").inner_text()
    count = int(said[said.index("(") + 1 : said.index(")")])
    bar.focus()
    opened.keyboard.press("Enter")
    expect(table.get_by_role("row")).to_have_count(1 + count)
    expect(opened.get_by_text("Question word: who")).to_be_visible()
    address = opened.url
    assert address.endswith("#slice=Question%20word&group=who")
    opened.reload()
    expect(table.get_by_role("row")).to_have_count(1 + count)
    opened.get_by_role("button", name="Show all").click()
    expect(table.get_by_role("row")).to_have_count(1 + len(ASKED))
    assert "#" not in opened.url


def test_a_row_opens_both_readings_and_the_address_keeps_it(opened: Page) -> None:
    row, names = DATA["rows"][1], DATA["names"]
    opener = opened.get_by_role("button", name=f"Open {row['question']}")
    opener.focus()
    opened.keyboard.press("Enter")
    expect(opener).to_have_attribute("aria-expanded", "true")
    expect(opener).to_be_focused()
    shown = opened.locator(".side-by-side")
    for k, one in enumerate((row, row["other"])):
        start, end, *_ = one["n"][0]
        reading = shown.locator(".one-reading").nth(k)
        expect(reading.get_by_role("heading")).to_have_text(names[k])
        expect(reading.get_by_role("rowheader").first).to_have_text(CONTEXT[start:end])
        expect(reading).to_contain_text("no answer" if one["answer"] is None else one["answer"])
    expect(shown.get_by_role("listitem").first).to_contain_text("first.")
    assert opened.url.endswith("#open=1")
    opened.reload()
    expect(shown).to_be_visible()
    for width in (375, 1280):
        opened.set_viewport_size({"width": width, "height": 900})
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
    opener.press("Enter")
    expect(shown).to_have_count(0)
    assert "#" not in opened.url


def test_a_row_opens_the_case_at_its_chapter(
    opened: Page, open_page: Callable[..., Page], site: str
) -> None:
    link = opened.get_by_role("table").last.get_by_role("link").nth(1)
    address = str(link.get_attribute("href"))
    fragment = address.removeprefix(site)
    asked = parse(fragment)
    row = lines()[1]
    assert asked is not None and asked.left == ()
    fields, best = asked.fields, row["n_best"][0]
    assert (fields["question"], fields["paragraph"]) == (row["question"], CONTEXT)
    assert fields["windows"][:2] == [60, 12]
    assert fields["span"] == [best["window"], best["start"], best["end"]]
    assert fields["gold"] == [[CONTEXT.index("1998"), CONTEXT.index("1998") + 4]]
    page = open_page(fragment)
    expect(page.locator("#asked .asked-question")).to_contain_text(row["question"])
    expect(page.locator(f"#picture-{fields['chapter']}")).to_be_visible()
    expect(page.locator("#asked .by-hand")).to_be_hidden()


def test_each_reader_lists_the_twins_it_lost(opened: Page, tmp_path: Path, site: str) -> None:
    ids = ("0", "0~typos", "1", "1~typos", "2", "2~negated")
    made = [row | {"id": name} for row, name in zip((*lines(), lines()[0]), ids, strict=True)]
    a, b = (
        [row | {"exact": exact} for row, exact in zip(made, of, strict=True)]
        for of in ((1, 0, 1, 1, 1, 1), (1, 1, 1, 0, 0, 0))
    )
    report(tmp_path, site, report_data(a, RUN, b, RUN | {"reader": "B"}))
    opened.reload()
    row = opened.get_by_role("row", name="typos")
    assert [one.inner_text() for one in row.get_by_role("button").all()] == ["1", "1"]
    row.get_by_role("button", name="1: 1~typos").click()
    expect(opened.get_by_role("searchbox", name="Holds the text")).to_have_value("1~typos")
    expect(opened.get_by_role("row", name="negated")).to_contain_text("1 of 1 (no interval)")


def test_paper_keeps_every_column(opened: Page) -> None:
    opened.emulate_media(media="print")
    opened.set_viewport_size({"width": 686, "height": 900})
    over = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length"
    assert opened.locator(".wide, main").evaluate_all(over) == 0


def test_the_last_page_leaves_the_focus_on_a_button(
    opened: Page, tmp_path: Path, site: str
) -> None:
    rows = [row | {"id": f"{row['id']}.{k}"} for k in range(11) for row in lines()]
    report(tmp_path, site, report_data(rows, RUN))
    opened.reload()
    earlier, later = (opened.get_by_role("button", name=name) for name in ("Previous", "Next"))
    later.press("Enter")
    expect(earlier).to_be_focused()
    earlier.press("Enter")
    expect(later).to_be_focused()
