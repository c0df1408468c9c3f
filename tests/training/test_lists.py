"""Lists of answers in training: spans for the tags, one for start and end, a fifth apart."""

import random
from dataclasses import replace

import numpy as np
import pytest

from qa_demo.core.masking import merge_spans
from qa_demo.core.text import touching
from qa_demo.core.types import Answer, B, Example, I, O, Span
from qa_demo.training import apart
from qa_demo.training.data import Sampler, marks
from qa_demo.training.enumerations import items
from tests.model import kit

pytestmark = pytest.mark.model
NAMES = ("George Rotne", "Ingeborg")


def example(spans: tuple[tuple[tuple[int, int], ...], ...], context: str = kit.CONTEXT) -> Example:
    answers = tuple(Answer(context[a:b], a) for a, b in spans[0])
    return Example("q", kit.QUESTION, context, answers, spans=spans)


def places(*texts: str, context: str = kit.CONTEXT) -> tuple[tuple[int, int], ...]:
    return tuple((context.index(t), context.index(t) + len(t)) for t in texts)


def drawn(one: Example, length: int = 256):
    sampler = Sampler([one], kit.tokenizer("bert"), negatives=0.0)
    feature = sampler.draw(0, length, random.Random(0))
    assert feature is not None
    return sampler.encoding(one.question, one.context), feature


def marked(feature, first: Span, last: Span) -> float:
    """What start and end learn of the span from one to the other, if it is the same."""
    start = feature.start[feature.window.to_pos(first.start)]
    assert start == feature.end[feature.window.to_pos(last.end)]
    return start


def test_the_tags_learn_every_span_and_start_and_end_the_first() -> None:
    first, last = sorted(NAMES, key=kit.CONTEXT.index)
    encoding, feature = drawn(example((places(first, last),)))
    spans = [touching(encoding, *place) for place in places(first, last)]
    want = np.full(len(encoding.context_ids), O)
    for span in spans:
        want[span.start : span.end + 1] = I
        want[span.start] = B
    window = feature.window
    inside = slice(window.to_pos(0), window.to_pos(0) + len(want))
    assert (feature.tags[inside].argmax(-1) == want).all()
    assert feature.tags[inside].max(-1).min() == 1
    assert marked(feature, spans[0], spans[0]) == 1 and feature.holds_answer


def test_a_window_that_cuts_the_first_span_learns_the_first_that_it_holds() -> None:
    context = "anna rotne " * 40 + "ingeborg " + "anna rotne " * 40 + "1998 end"
    one = example((places("ingeborg", "1998", context=context),), context)
    sampler = Sampler([one], kit.tokenizer("bert"), negatives=0.0)
    encoding = sampler.encoding(one.question, context)
    spans = [touching(encoding, *place) for place in one.spans[0]]
    rng, seen = random.Random(1), set()
    for _ in range(60):
        feature = sampler.draw(0, 60, rng)
        held = [s for s in spans if feature.window.holds(s)]
        assert held and feature.start[feature.window.to_pos(held[0].start)] == 1
        seen.add(held[0])
    assert seen == set(spans)


def test_two_annotators_share_the_weight() -> None:
    names = places(*sorted(NAMES, key=kit.CONTEXT.index))
    encoding, feature = drawn(example((names, places("1998"))))
    year = touching(encoding, *places("1998")[0])
    at = feature.window.to_pos(year.start)
    assert feature.start[at] == feature.tags[at, B] == 0.5
    assert feature.start.sum() == feature.end.sum() == 1


def test_spans_that_share_a_piece_are_joined() -> None:
    joined = merge_spans([Span(4, 6), Span(1, 2), Span(6, 9), Span(7, 8)], 0)
    assert joined == (Span(1, 2), Span(4, 9))
    assert merge_spans([Span(1, 2), Span(3, 3)], 0) == (Span(1, 2), Span(3, 3))
    assert merge_spans([], 0) == ()


def test_a_list_of_places_without_a_piece_is_no_answer() -> None:
    one = example((((kit.CONTEXT.index(" "), kit.CONTEXT.index(" ") + 1),),))
    sampler = Sampler([one], kit.tokenizer("bert"), negatives=0.0)
    assert marks(sampler.encoding(one.question, one.context), one) == [None]


def test_an_enumeration_is_one_span_for_start_and_end_and_a_list_for_the_tags() -> None:
    context = "anna rotne, ingeborg and 1998 end"
    one = Example("q", kit.QUESTION, context, (Answer(context[:29], 0),))
    encoding, feature = drawn(replace(one, context=context))
    window, texts = feature.window, ("anna rotne", "ingeborg", "1998")
    parts = [touching(encoding, *place) for place in places(*texts, context=context)]
    assert marked(feature, parts[0], parts[2]) == 1
    begun = [window.to_doc(int(pos)) for pos in np.flatnonzero(feature.tags[:, B])]
    assert begun == [span.start for span in parts]
    inside = [window.to_doc(int(pos)) for pos in np.flatnonzero(feature.listed)]
    assert inside == list(range(parts[0].start, parts[2].end + 1))
    single = drawn(replace(one, answers=(Answer("ingeborg", 12),)))[1]
    assert not single.listed.any()


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Ethiopia and Liberia", ["Ethiopia", "Liberia"]),
        ("bishops, priests, and deacons", ["bishops", "priests", "deacons"]),
        ("Homer Banks, Carl Lund and Ray", ["Homer Banks", "Carl Lund", "Ray"]),
        ("the UK & Ireland", ["the UK", "Ireland"]),
        ("1980, 1994 or 2013", ["1980", "1994", "2013"]),
        ("rock and roll", []),
        ("College of Arts and Letters", []),
        ("between 1937 and 1949", []),
        ("London, England", []),
        ("order and direct the activities of Catholics, priests and monks", []),
        ("Ethiopia and", []),
        ("", []),
    ],
)
def test_what_an_enumeration_is(text: str, want: list[str]) -> None:
    assert [text[a:b] for a, b in items(text)] == want


PARAGRAPHS = [" ".join(f"word{k}x{j}" for j in range(30)) for k in range(500)]


def test_a_fifth_is_kept_apart_whatever_blanks_and_marks_say() -> None:
    kept = [p for p in PARAGRAPHS if apart.is_apart(p)]
    assert 60 < len(kept) < 140
    assert [p for p in PARAGRAPHS if apart.is_apart(p.upper().replace(" ", ",  "))] == kept
    lists = [example((((0, 5),),), p) for p in PARAGRAPHS]
    assert apart.held_out(lists) == [e for e in lists if e.context in kept]
    assert not apart.held_out([replace(e, spans=()) for e in lists])


def test_no_paragraph_that_shares_twelve_words_with_a_kept_one_is_trained_on() -> None:
    lists = [example((((0, 5),),), p) for p in PARAGRAPHS[:40]]
    kept = apart.held_out(lists)
    assert kept
    words = kept[0].context.split()
    near, far = " ".join(["begin", *words[5:17], "end"]), " ".join(["begin", *words[5:16], "end"])
    other = [replace(lists[0], context=c, spans=()) for c in (near, far)]
    first, second = apart.trained([lists, other])
    assert first == [e for e in lists if e not in kept]
    assert [e.context for e in second] == [far]
    assert apart.trained([other]) == [other]
