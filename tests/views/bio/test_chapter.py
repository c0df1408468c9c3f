"""Chapter 7's handlers as pure functions of a Screen; what asks the reader asks the fake one."""

import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.learning.golds import Answer
from qa_demo.core.options import DecodeOptions
from qa_demo.core.types import Span
from qa_demo.views.bio import bench as bio_bench
from qa_demo.views.bio import chapter as bio
from qa_demo.views.bio import linked
from qa_demo.views.examples import load_examples
from qa_demo.views.loss import bench as loss_bench
from qa_demo.views.state import Screen, Selection
from tests.fakes import FakeReader
from tests.printed import text_of
from tests.requests import job, selected

QUESTION = "Who came to Kalmar?"
TEXT = (
    "In 1900 the traveller Anna Lund came to Visby and met Bertil Kalmar, who told of winters "
    "past and of roads that led nowhere."
)


def screen_of(reader: FakeReader, text: str = TEXT, gold: tuple[Answer, ...] = ()) -> Screen:
    reading = reader.read(QUESTION, text)
    return selected(reading, chapter="bio", gold=gold, example="some" if gold else None)


READER = FakeReader(bio=True)
READER.checksum = "fake-chapter-7"  # its heads: no other test has asked for them
SCREEN = screen_of(READER)


def test_the_chapter_has_four_table_twins_and_a_notice_for_each_step() -> None:
    data = bio.present(SCREEN)
    assert data["picture"]["has"]
    assert len(data["tables"]) == 4
    own = data["picture"]["notices"]
    assert own["tags"] == data["notice"] and "heads" in own["spans"] and "H(t)" in own["annotators"]


def test_a_reader_without_a_head_says_so_and_sends_no_numbers() -> None:
    data = bio.present(screen_of(FakeReader()))
    assert not data["picture"]["has"]
    assert "bars" not in data["picture"]
    assert "has no BIO head" in data["notice"]
    assert bio.details(screen_of(FakeReader()))["token"] is None


def test_dimensions_and_products_appear_once_the_reader_was_asked() -> None:
    assert bio.present(SCREEN)["picture"]["needs"]
    assert "W: 3 × 6" not in text_of(bio.formula(SCREEN))
    assert bio.work(job(SCREEN, "heads", True, READER)) is None
    assert not bio.present(SCREEN)["picture"]["needs"]
    assert "W: 3 × 6" in text_of(bio.formula(SCREEN))
    assert bio.details(SCREEN)["products"] is None
    asked = job(SCREEN, "products", True, READER)
    drawn = bio.receive(SCREEN.presented("bio"), asked, bio.work(asked))
    assert "bio" not in drawn.fresh, "the picture is drawn again"
    found = bio.details(SCREEN)
    assert [r["logit"] for r in found["products"]["rows"]] == found["token"]["logits"]


def test_another_readers_heads_are_refused() -> None:
    with pytest.raises(BadInput, match="made by other weights"):
        bio.work(job(SCREEN, "heads", reader=FakeReader()))


def test_details_cost_nothing_while_another_chapter_is_open() -> None:
    assert bio.details(SCREEN.open("answer"))["token"] is None


def test_annotators_start_as_the_example_has_them() -> None:
    example = load_examples()["machu-picchu"]
    reading = FakeReader(bio=True).read(example.question, example.context)
    seen = Screen(reading, DecodeOptions(), gold=example.answers, example=example.id)
    marks, named = bio_bench.annotators(seen)
    assert named == "the annotators" and all(len(spans) == 1 for spans in marks)
    none = loss_bench.no_answer(seen, True)
    assert bio_bench.annotators(none) == (((), (), ()), "chapter 5 says that no answer is right")
    marked = loss_bench.mark(seen, [1, 1])
    assert bio_bench.annotators(marked) == (((Span(1, 1),),) * 3, "marked in chapter 5")
    silent = next(e for e in load_examples().values() if not e.answers)
    reading = FakeReader(bio=True).read(silent.question, silent.context)
    named = bio_bench.annotators(Screen(reading, DecodeOptions(), example=silent.id))[1]
    assert named == "the annotators: none of them found an answer"


def test_on_a_visitors_text_chapter_5s_marks_are_named_as_such() -> None:
    gold = (Answer("Anna Lund", TEXT.index("Anna")), Answer("Visby", TEXT.index("Visby")))
    two = screen_of(FakeReader(bio=True), gold=gold)
    for silent, how in ((0, ", the first label twice"), (1, ""), (2, ", the first three labels")):
        seen = loss_bench.silent(two, silent)
        marks, named = bio_bench.annotators(seen)
        assert [m == marks[0] for m in marks] == [True, False, silent == 0]
        assert named == f"marked in chapter 5{how}"
        kept = linked.save_marks(bio_bench.change_preset(seen, "example"))
        assert bio_bench.annotators(linked.load_marks(seen, kept)) == (marks, named)
    seen = screen_of(FakeReader(bio=True))
    assert bio_bench.annotators(seen)[1].startswith("the reader's own answer")
    silent = seen.change(decode=DecodeOptions(null_score_diff_threshold=-99.0))
    own = "the reader's own “no answer”, three times: mark what is right"
    assert bio_bench.annotators(silent) == (((), (), ()), own)


def test_a_mark_changes_one_annotator_and_makes_only_this_chapter_stale() -> None:
    before = SCREEN.presented("answer").presented("bio")
    after = bio_bench.change_mark(before, {"who": 1, "start": 3, "end": 4})
    assert bio_bench.annotators(after)[0][1] == (Span(3, 4),)
    assert bio_bench.annotators(after)[0][0] == bio_bench.annotators(before)[0][0]
    assert after.fresh == {"answer"} and after.stamp == before.stamp
    none = bio_bench.change_mark(after, {"who": 1, "start": None, "end": None})
    assert bio_bench.annotators(none)[0][1] == ()


def mark(screen: Screen, who: int, *spans: tuple[int, int]) -> Screen:
    """One annotator's spans, the first in place of what was there."""
    for k, (start, end) in enumerate(spans):
        change = {"who": who, "start": start, "end": end, "more": k > 0}
        screen = bio_bench.change_mark(screen, change)
    return screen


def test_one_annotator_marks_several_spans() -> None:
    two = mark(SCREEN, 1, (8, 8), (3, 4))
    assert bio_bench.annotators(two)[0][1] == (Span(3, 4), Span(8, 8))
    data = bio.present(two)["picture"]
    assert data["loss"]["annotators"][1]["letters"][3:9] == "BIOOOB"
    assert data["annotators"]["several"]
    with pytest.raises(BadInput, match="“r Anna” overlaps “traveller”"):
        bio_bench.change_mark(two, {"who": 1, "start": 4, "end": 5, "more": True})
    assert bio_bench.annotators(mark(two, 1, (4, 5)))[0][1] == (Span(4, 5),)
    every = bio_bench.change_preset(mark(mark(two, 0, (8, 8)), 2, (8, 8)), "every")
    assert set(bio_bench.annotators(every)[0]) == {(Span(3, 4), Span(8, 8))}
    with pytest.raises(BadInput, match="two answers that stand apart"):
        bio_bench.change_preset(
            bio_bench.change_preset(SCREEN.select(Selection(0, Span(6, 6))), "agree"), "every"
        )
    full = mark(SCREEN, 2, *((2 * k, 2 * k) for k in range(bio_bench.MOST_SPANS)))
    with pytest.raises(BadInput, match="at most 8 spans"):
        bio_bench.change_mark(full, {"who": 2, "start": 20, "end": 20, "more": True})


def test_marks_do_not_follow_to_another_paragraph() -> None:
    marked = bio_bench.change_mark(SCREEN, {"who": 0, "start": 3, "end": 4})
    other = marked.change(reading=READER.read(QUESTION, "Only Greta Holm knew."), selection=None)
    assert bio_bench.annotators(other)[1] != "marked on this page"


def test_the_presets() -> None:
    at = SCREEN.select(Selection(0, Span(6, 6)))
    two = bio.present(bio_bench.change_preset(at, "disagree"))["picture"]["loss"]
    assert [a["letters"][6] for a in two["annotators"]] == ["B", "B", "O"]
    assert set(bio_bench.annotators(bio_bench.change_preset(at, "agree"))[0]) == {(Span(6, 6),)}
    last = len(SCREEN.reading.encoding.context_ids) - 1
    at_end = bio_bench.change_preset(SCREEN.select(Selection(0, Span(last, last))), "disagree")
    assert bio_bench.annotators(at_end)[0] == ((Span(last, last),), (Span(last, last),), ())
    back = bio_bench.change_preset(bio_bench.change_preset(at, "agree"), "example")
    assert bio_bench.annotators(back)[0] == bio_bench.annotators(at)[0]
    with pytest.raises(BadInput, match="select a span first"):
        bio_bench.change_preset(Screen(SCREEN.reading, SCREEN.decode), "agree")
    with pytest.raises(BadInput, match="preset must be"):
        bio_bench.change_preset(at, "vote")


def test_two_marked_answers_make_the_glue() -> None:
    marked = mark(mark(SCREEN, 0, (4, 5)), 1, (8, 8))
    found = bio.present(marked)["picture"]["glue"]["found"]
    assert [r["span"] for r in found["rows"]] == [[4, 5], [8, 8], [4, 8], None]


def test_without_two_answers_the_examples_that_have_them_are_offered() -> None:
    data = bio.present(screen_of(FakeReader(bio=True), "it was raining."))["picture"]["glue"]
    assert data["found"] is None and len(data["examples"]) > 1
    assert {"title", "id"} == set(data["examples"][0])
