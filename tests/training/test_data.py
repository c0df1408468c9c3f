"""What a window teaches, which paragraphs are kept apart, and the windows that are drawn."""

import random
from dataclasses import replace

import numpy as np
import pytest

from qa_demo.core.losses import tags_of
from qa_demo.core.text import touching
from qa_demo.core.types import Answer, B, Example, Span, Window
from qa_demo.training import data
from qa_demo.training.data import PARTS, Sampler, items, marks, reworded, targets
from tests.model import kit
from tests.training import toy

pytestmark = pytest.mark.model
LONG = "anna rotne " * 40 + "ingeborg " + "anna rotne " * 40
PARAGRAPHS = [" ".join(f"word{k}x{j}" for j in range(30)) for k in range(500)]


def listed(*texts: str, context: str = kit.CONTEXT) -> Example:
    """A question whose answer is a list: these texts of a paragraph."""
    answers = tuple(Answer(text, context.index(text)) for text in texts)
    spans = (tuple((a.char_start, a.char_end) for a in answers),)
    return Example("q", kit.QUESTION, context, answers, spans=spans)


def sampler(*examples: Example, negatives: float = 0.0) -> Sampler:
    return Sampler(examples, kit.tokenizer("bert"), negatives)


def parts_of(one: Example) -> list[Span]:
    """The pieces of each text of a list."""
    encoding = sampler(one).encoding(one.question, one.context)
    return [touching(encoding, *place) for place in one.spans[0]]


def drawn(one: Example) -> tuple[Window, dict[str, np.ndarray]]:
    """The window that is drawn of a text, and its targets as shares of 1."""
    found = sampler(one).draw(one, 256, random.Random(0))
    shares = {n: x / PARTS if x.dtype == np.uint8 else x for n, x in targets(*found).items()}
    return found[0], shares


def test_a_window_that_cuts_the_first_span_learns_the_first_that_it_holds():
    one = listed("ingeborg", "1998", context=f"{LONG}1998 end")
    source, rng, seen, spans = sampler(one), random.Random(1), set(), parts_of(one)
    for _ in range(60):
        window, *golds = source.draw(one, 60, rng)
        held = [s for s in spans if window.holds(s)]
        assert targets(window, *golds)["start"][window.to_pos(held[0].start)] == PARTS
        seen.add(held[0])
    assert seen == set(spans)


def test_a_negative_window_holds_no_answer_or_is_another_paragraph_of_the_article():
    one = replace(listed("ingeborg", context=LONG), title="t")
    other = replace(one, id="o", context="the river and the tower", answers=(), spans=())
    source, rng, texts = sampler(one, other, negatives=1.0), random.Random(1), set()
    for _ in range(20):
        found = targets(*source.draw(one, 60, rng))
        assert found["start"][0] == found["end"][0] == PARTS, "[CLS]"
        texts.add(bool(found["passage"].sum() > 10))
    assert texts == {True, False}


def test_tags_learn_every_span_of_a_list_and_start_and_end_the_first_or_an_enumeration():
    one = listed(*sorted(("George Rotne", "Ingeborg"), key=kit.CONTEXT.index))
    (window, learnt), spans = drawn(one), parts_of(one)
    inside = learnt["tags"][window.is_context]
    assert (inside.argmax(-1) == tags_of(len(inside), spans)).all()
    assert inside.max(-1).min() == 1 and learnt["start"][window.to_pos(spans[0].start)] == 1
    assert learnt["end"][window.to_pos(spans[0].end)] == 1
    one = listed(" ")  # which is no answer: no piece stands there
    assert marks(sampler(one).encoding(one.question, one.context), one) == [None]
    context = "anna rotne, ingeborg and 1998 end"
    one = Example("q", kit.QUESTION, context, (Answer(context[:29], 0),))
    window, learnt = drawn(one)
    parts = parts_of(listed("anna rotne", "ingeborg", "1998", context=context))
    assert learnt["start"][window.to_pos(parts[0].start)] == 1
    assert learnt["end"][window.to_pos(parts[2].end)] == 1
    begun = [window.to_doc(int(pos)) for pos in np.flatnonzero(learnt["tags"][:, B])]
    assert begun == [span.start for span in parts]
    inside = [window.to_doc(int(pos)) for pos in np.flatnonzero(learnt["listed"])]
    assert inside == list(range(parts[0].start, parts[2].end + 1))
    assert not drawn(replace(one, answers=(Answer("ingeborg", 12),)))[1]["listed"].any()


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Ethiopia and Liberia", ["Ethiopia", "Liberia"]),
        ("bishops, priests, and deacons", ["bishops", "priests", "deacons"]),
        ("Homer Banks, Carl Lund and Ray", ["Homer Banks", "Carl Lund", "Ray"]),
        ("the UK & Ireland", ["the UK", "Ireland"]),
        ("1980, 1994 or 2013", ["1980", "1994", "2013"]),
        *((text, []) for text in ("rock and roll", "between 1937 and 1949", "London, England")),
        *((text, []) for text in ("College of Arts and Letters", "Ethiopia and", "")),
        ("order and direct the activities of Catholics, priests and monks", []),
    ],
)
def test_what_an_enumeration_is(text, want):
    assert [text[a:b] for a, b in items(text)] == want


def test_a_fifth_is_kept_apart_whatever_blanks_and_marks_say():
    kept = [p for p in PARAGRAPHS if data.is_apart(p)]
    assert 60 < len(kept) < 140
    assert [p for p in PARAGRAPHS if data.is_apart(p.upper().replace(" ", ",  "))] == kept
    lists = [listed(p[:5], context=p) for p in PARAGRAPHS]
    assert data.held_out(lists) == [e for e in lists if e.context in kept]
    assert not data.held_out([replace(e, spans=()) for e in lists])
    kept = data.held_out(lists := lists[:40])
    words = kept[0].context.split()
    near, far = " ".join(["begin", *words[5:17], "end"]), " ".join(["begin", *words[5:16], "end"])
    other = [replace(lists[0], context=c, spans=()) for c in (near, far)]
    first, second = data.without_held_out([lists, other])
    assert first == [e for e in lists if e not in kept]
    assert [e.context for e in second] == [far], "the other shares twelve words with a kept one"
    assert data.without_held_out([other]) == [other]


@pytest.mark.parametrize(
    ("question", "made"),
    [
        ("Why did Panama dig?", {"Why did Ferdinand de Lesseps dig?", "Why did not Panama dig?"}),
        ("what broke in 1869", {"what broke in 1914"}),
        ("which came first", {"which came last"}),
        ("why so", {None}),
    ],
)
def test_a_question_with_one_word_exchanged(question, made):
    canal = "In 1869 Ferdinand de Lesseps opened the canal; in 1914 Panama followed."
    assert {reworded(question, canal, random.Random(k)) for k in range(40)} == made


@pytest.mark.parametrize(("kind", "words"), [("unlabelled", "river"), ("exchanged", "last")])
def test_windows_that_nobody_labelled_are_added(tmp_path, caplog, kind, words):
    caplog.set_level("INFO")
    tokenizer, first = kit.tokenizer("bert"), "anna rotne designed the towers"
    second = "the river and the bridge of ingeborg"
    asked = [(first, [kit.asked("a", "who came first", first, "anna")])]
    asked += [(second, [kit.asked("b", "who was it", second), kit.asked("c", "the " * 60, second)])]
    path = kit.written(tmp_path / "squad.json", asked)
    found = data.draw_pool([(str(path), 8)], tokenizer, **toy.DRAWN | {kind: 1.0, "negatives": 0.0})
    assert "8 times a question left no room" in caplog.text
    silent = np.flatnonzero(~found["labelled"])
    assert 0 < len(silent) < len(found["labelled"]) == 16 + len(silent)
    parts = [slice(*found["offsets"][k : k + 2]) for k in silent]
    assert all(found["start"][part][0] == PARTS for part in parts)
    assert any(words in tokenizer.decode(found["ids"][part]) for part in parts)
