"""Chapter 8's handlers as pure functions: texts, spans by hand and law, no model."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from qa_demo.core.errors import BadInput, ModelUnavailable
from qa_demo.core.masking import span_masking as masking
from qa_demo.core.masking.infiller import Infiller
from qa_demo.core.options import DecodeOptions
from qa_demo.core.types import Span
from qa_demo.figures.payload import plain
from qa_demo.views.background import Job
from qa_demo.views.session.model_cache import ModelCache
from qa_demo.views.spanbert import chapter as spanbert
from qa_demo.views.spanbert import mask
from qa_demo.views.spanbert.lab import MASK, MOST_PIECES, TEXT_MASK, kept_of
from qa_demo.views.spanbert.lab import lab_of as lab
from qa_demo.views.state import Screen
from tests.fake_infiller import FakeInfiller
from tests.fakes import FakeReader
from tests.printed import text_of
from tests.requests import job

TEXT = (
    "The championships were decided by penalties. George Rotne drew the towers of the bridge "
    "in July."
)


def opened(held: ModelCache[Infiller] | None = None) -> Screen:
    """The chapter as it opens, with a model unless one is given that refuses."""
    return ask(blank(), "load", True, held or keeper())


def blank() -> Screen:
    return Screen(FakeReader().read("Who drew it?", TEXT), DecodeOptions())


def keeper(load: Callable[[str], Infiller] = FakeInfiller) -> ModelCache[Infiller]:
    return ModelCache(load, watch=1e6)


def ask(
    screen: Screen, name: str, value: Any = True, held: ModelCache[Infiller] | None = None
) -> Screen:
    """Any event of the chapter, as the page would answer it."""
    if name in spanbert.SLOW:
        asked = job(screen, name, value, infillers=kept_of(screen).keeper or held)
        return spanbert.receive(screen, asked, spanbert.work(asked))
    if name == "step":
        return spanbert.change_step(screen, value)
    return spanbert.asked(mask.ASKS[name], screen, value)


def alone(screen: Screen, first: int = 1, last: int = 2) -> Screen:
    """The words of these pieces hidden, and no others."""
    hand = ask(screen, "mask-span", [first, last])
    now, only = kept_of(hand), lab(hand).masked.run_of(first)
    return hand.keep(spanbert.KEY, replace(now, lab=mask.by_hand(lab(hand), [only], now.model)))


def late(now: Screen, asked: Job) -> Screen:
    """The answer of a slow request on the screen as it is by then."""
    return spanbert.receive(now, asked, spanbert.work(asked))


@pytest.fixture(params=["model", "none"])
def screen(request: pytest.FixtureRequest) -> Screen:
    """The chapter open on a text of its own, with a model and without one."""
    models = keeper() if request.param == "model" else None
    return ask(ask(blank(), "load", True, models), "mask-text", TEXT)


def runs(screen: Screen) -> list[tuple[int, int]]:
    return [(r.start, r.end) for r in lab(screen).masked.runs]


def test_before_the_chapter_is_opened_nothing_is_loaded() -> None:
    loads: list[str] = []
    page = spanbert.present(blank())
    assert page["picture"]["mask"] is None and page["picture"]["ready"] is False
    assert spanbert.present(ask(blank(), "step", "closing"))["picture"]["closing"]["ablation"][
        "rows"
    ], "what training measured needs no model"
    screen = opened(keeper(lambda name: loads.append(name) or FakeInfiller(name)))
    assert loads == ["bundled"] and spanbert.present(screen)["picture"]["ready"] is True
    assert lab(screen).passage == mask.OPENING and lab(screen).by_hand
    ask(screen, "load")
    assert loads == ["bundled"]


def test_the_payload_has_every_twin(screen: Screen) -> None:
    data = spanbert.present(screen)
    captions = [t["caption"] for t in data["tables"]]
    assert captions[:4] == [
        "Hidden spans",
        "The draws, turn by turn",
        "The same budget as single pieces (BERT)",
        "Span lengths in words: the law, and a literal clipping",
    ]
    assert data["notice"].startswith("Spans hide") and len(data["simplified"]) >= 6
    assert text_of(spanbert.formula(screen)).endswith(f"= {lab(screen).masked.budget} pieces")


def test_both_schemes_hide_the_same_budget(screen: Screen) -> None:
    found = lab(screen)
    budget = masking.budget_of(len(found.encoding.context_ids))
    assert len(found.masked.hidden) == len(found.beside.hidden) == budget
    fates = dict(zip(found.masked.hidden.tolist(), found.masked.fates, strict=True))
    for i, piece in enumerate(found.given):
        assert (piece == MASK) == (fates.get(i) == "mask")
        assert fates.get(i, "keep") != "keep" or piece == found.encoding.context_tokens[i]


def test_a_span_by_hand_takes_whole_words_and_merges_with_what_it_touches(screen: Screen) -> None:
    tokens = lab(screen).encoding.context_tokens
    assert tuple(t.lower() for t in tokens[:4]) == ("the", "champion", "##ships", "were")
    one = alone(screen, 1, 1)
    assert runs(one) == [(1, 2)]
    assert lab(one).by_hand
    assert set(lab(one).masked.fates) == {"mask"}
    assert [p for p in lab(one).given if p == MASK] == [MASK, MASK]
    assert len(lab(one).beside.hidden) == 2, "BERT's pieces follow the budget of the hand"
    two = ask(one, "mask-span", [8, 6])
    assert runs(two) == [(1, 2), (6, 8)] and lab(two).said.endswith("is hidden: 3 pieces.")
    three = ask(two, "mask-span", [3, 5])
    assert runs(three) == [(1, 8)]
    assert "overlaps or touches “\u2068championships\u2069” and " in lab(three).said
    assert "one run of 8 pieces" in lab(three).said
    assert runs(ask(two, "mask-show", 7)) == [(1, 2)]
    assert "is in sight again" in lab(ask(two, "mask-show", 7)).said
    with pytest.raises(BadInput, match="the only hidden run"):
        ask(one, "mask-show", 1)
    with pytest.raises(BadInput, match="not hidden"):
        ask(one, "mask-show", 0)


@pytest.mark.parametrize("value", [None, [1], [0, 10**6], [-1, 2], [True, 2], ["1", 2], "12"])
def test_spans_that_are_none_are_refused(screen: Screen, value: object) -> None:
    with pytest.raises(BadInput, match=r"word piece|whole number"):
        ask(screen, "mask-span", value)


def test_a_seed_draws_the_same_spans_again(screen: Screen) -> None:
    three, four = ask(screen, "mask-seed", 3), ask(screen, "mask-seed", 4)
    assert runs(three) == runs(ask(four, "mask-seed", 3)) and runs(three) != runs(four)
    model = kept_of(screen).model
    encoding = lab(screen).encoding
    if model is not None:
        assert lab(three).masked.runs == model.sample(encoding, np.random.default_rng(3)).runs
    for bad in (-1, 1.5, "3", True, 2**31):
        with pytest.raises(BadInput, match="seed must be a whole number"):
            ask(screen, "mask-seed", bad)


def test_options_redraw_and_spans_by_hand_survive_them(screen: Screen) -> None:
    more = ask(screen, "mask-option", {"name": "mask_ratio", "value": 0.5})
    total = len(lab(more).encoding.context_ids)
    assert len(lab(more).masked.hidden) == (total + 1) // 2
    short = ask(ask(screen, "mask-option", {"name": "span_upper", "value": 1}), "mask-seed", 9)
    assert {d.length for d in lab(short).masked.draws} == {1}
    lower = ask(screen, "mask-option", {"name": "span_lower", "value": 7})
    pushed = ask(lower, "mask-option", {"name": "span_upper", "value": 4})
    assert (lab(pushed).options.span_lower, lab(pushed).options.span_upper) == (4, 4)
    hand = ask(screen, "mask-span", [1, 2])
    assert runs(ask(hand, "mask-option", {"name": "geometric_p", "value": 0.5})) == runs(hand)
    for bad, said in (
        ({"name": "p", "value": 1}, "the option must be one of"),
        ({"name": "mask_ratio", "value": 2}, "must be a number"),
        ({"name": "mask_ratio", "value": True}, "must be a number"),
        (None, "an option needs name, value"),
    ):
        with pytest.raises(BadInput, match=said):
            ask(screen, "mask-option", bad)


def test_texts_come_from_a_passage_a_reading_or_the_visitor() -> None:
    screen = opened()
    last = list(mask.passages())[-1]
    chosen = ask(screen, "mask-passage", last)
    assert lab(chosen).passage == last and lab(chosen).text == mask.passages()[last].text
    hidden = {lab(chosen).encoding.text(r) for r in lab(chosen).masked.runs}
    assert any(h.text in " ".join(hidden) for h in mask.passages()[last].hidden)
    reading = ask(screen, "mask-reading")
    own = lab(reading)
    assert (own.passage, own.text, own.by_hand) == ("reading", TEXT, False)
    own = ask(screen, "mask-text", "Just <b>one</b> ${text} here.")
    assert lab(own).passage is None and lab(own).text == "Just <b>one</b> ${text} here."
    for name, value, words in (
        ("mask-text", "  ", "empty"),
        ("mask-text", 3, "must be a text, got 3"),
        ("mask-passage", "nope", "no passage 'nope'"),
        ("mask-text", "a" * (mask.MOST_CHARACTERS + 1), "characters, 1,600 are allowed"),
        ("mask-text", "a, " * MOST_PIECES, "word pieces, allowed are 1 to 200"),
    ):
        with pytest.raises(BadInput, match=words):
            ask(screen, name, value)


def refuse(name: str) -> Infiller:
    raise ModelUnavailable("the bundled SpanBERT is not in this checkout")


def test_without_a_model_masking_works_and_prediction_says_why() -> None:
    screen = opened(keeper(refuse))
    picture = spanbert.present(screen)["picture"]
    assert picture["ready"] and picture["predict"] is None
    assert picture["failed"] == "the bundled SpanBERT is not in this checkout"
    assert TEXT_MASK in lab(screen).masked.input_ids and MASK in lab(screen).given
    assert runs(ask(screen, "mask-seed", 7))
    spanbert.predict.ASKS["predict-test"] = lambda lab, value, model: lab
    try:
        with pytest.raises(BadInput, match="not in this checkout; so nothing can be predicted"):
            spanbert.asked(spanbert.predict.ASKS["predict-test"], screen, 1)
    finally:
        del spanbert.predict.ASKS["predict-test"]


def test_a_released_model_comes_back_and_the_lab_stays() -> None:
    loads: list[str] = []
    held = keeper(lambda name: loads.append(name) or FakeInfiller(name))
    screen = ask(opened(held), "mask-span", [1, 2])
    held.available = lambda: 0.0
    assert held.sweep() == ["bundled"]
    assert spanbert.present(screen)["picture"]["ready"] is True, "masking goes on without it"
    screen = ask(screen, "step", "predict")
    assert not spanbert.present(screen)["picture"]["ready"], "the browser asks for it again"
    meanwhile = ask(screen, "mask-text", "Another text of few words.")
    back = late(meanwhile, job(screen, "load", True, infillers=held))
    assert lab(back) is lab(meanwhile), "what was done while it loaded is not undone"
    again = ask(screen, "load")
    assert loads == ["bundled", "bundled"] and lab(again) is lab(screen)
    picture = spanbert.present(again)["picture"]
    assert picture["ready"] and picture["predict"]


def test_a_lab_of_the_readers_pieces_is_made_anew_when_a_model_arrives() -> None:
    without = ask(opened(keeper(refuse)), "mask-text", TEXT)
    hand = alone(without)
    arrived = late(hand, job(hand, "load", True, infillers=keeper()))
    assert TEXT_MASK not in lab(arrived).masked.input_ids
    assert runs(arrived) == [(1, 2)] and kept_of(arrived).failed is None


def test_a_lab_made_without_a_model_never_meets_one() -> None:
    short: list[bool] = []
    held = keeper(lambda name: refuse(name) if short else FakeInfiller(name))
    screen = ask(opened(held), "step", "predict")
    asked = job(screen, "load", True, infillers=held)
    made = spanbert.work(asked)  # its answer is late
    short.append(True)
    held.available = lambda: 0.0
    held.sweep()
    screen = ask(screen, "mask-text", TEXT)
    assert TEXT_MASK in lab(screen).masked.input_ids
    short.clear()
    screen = spanbert.receive(screen, asked, made)
    assert spanbert.present(screen)["picture"]["ready"] is False
    screen = ask(screen, "load")
    assert TEXT_MASK not in lab(screen).masked.input_ids
    assert (lab(screen).model, lab(screen).text) == ("bundled", TEXT)
    assert spanbert.present(screen)["picture"]["predict"]["heads"]["mlm"]


def test_a_lab_that_does_not_fit_its_model_is_asked_nothing() -> None:
    screen = ask(opened(), "step", "predict")
    odd = screen.keep(spanbert.KEY, replace(kept_of(screen), lab=replace(lab(screen), model=None)))
    page = spanbert.present(odd)
    assert page["picture"]["predict"] is None and page["picture"]["ready"] is False
    assert page["notice"] == spanbert.LOADING
    for name, value in (("mask-span", [1, 2]), ("mask-seed", 4), ("predict-reset", True)):
        with pytest.raises(BadInput, match="the model was loaded meanwhile"):
            spanbert.asked((mask.ASKS | spanbert.predict.ASKS)[name], odd, value)


def test_the_model_runs_only_while_its_step_is_open() -> None:
    screen = opened()
    model = kept_of(screen).model
    assert isinstance(model, FakeInfiller)
    events = [("mask-seed", 3), ("mask-span", [1, 2]), ("step", "closing")]
    for name, value in (*events, ("mask-seed", 4), ("step", "mask")):
        screen = ask(screen, name, value)
        assert spanbert.present(screen)["picture"]["predict"] is None
    assert model.calls == 0 and spanbert.present(screen)["picture"]["closing"] is None
    page = spanbert.present(ask(screen, "step", "predict"))
    assert page["picture"]["predict"]["heads"]["mlm"] and model.calls > 0
    for bad in (None, "nope", 2, ["mask"]):
        with pytest.raises(BadInput, match="the step must be one of mask, predict, closing"):
            ask(screen, "step", bad)


def test_every_step_has_its_own_notice_tables_and_formula(screen: Screen) -> None:
    pages = {
        step: spanbert.present(ask(screen, "step", step)) for step in ("mask", "predict", "closing")
    }
    assert len({page["notice"] for page in pages.values()}) == 3
    assert pages["mask"]["notice"].startswith("Spans hide")
    guess, none = "(MLM's) first guess", "This page was started without a SpanBERT; so"
    assert (guess if kept_of(screen).model else none) in pages["predict"]["notice"]
    assert "SQuAD 2.0" in pages["closing"]["notice"]
    captions = [{t["caption"] for t in page["tables"]} for page in pages.values()]
    assert len(set.union(*captions)) == sum(map(len, captions)), "no table in two steps"
    assert spanbert.formula(screen) and not spanbert.formula(ask(screen, "step", "predict"))
    hand = alone(screen)
    assert "by hand: 2 of" in text_of(spanbert.formula(hand))
    for page in pages.values():
        plain(page)


def test_words_of_a_text_without_word_numbers_end_with_it() -> None:
    encoding = lab(ask(opened(), "mask-text", "one two")).encoding
    assert mask.words_of(encoding, 0, 0) == Span(0, 0)
    assert mask.words_of(encoding, 1, 1) == Span(1, 1)


def test_a_link_with_another_word_opens_without_a_model_and_says_so() -> None:
    screen = ask(alone(opened()), "step", "predict")
    word = {"side": "right", "word": "near"}
    changed = spanbert.asked(spanbert.predict.ASKS["predict-word"], screen, word)
    link = spanbert.linked.load(blank(), spanbert.linked.save(changed))
    seen = ask(link, "load", True, keeper(refuse))
    assert lab(seen).said.startswith("The text of this link could not be shown: there is no model")
