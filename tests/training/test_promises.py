"""The passages: each fact on a fake model, and the bundled one."""

from dataclasses import replace

import numpy as np
import pytest

from qa_demo.core.infill import Guess, Said
from qa_demo.core.masking import hide
from qa_demo.core.store import ASSETS
from qa_demo.core.text import span_at
from qa_demo.core.types import Answer
from qa_demo.examples import Passage, PoolExample, load_texts
from qa_demo.training.promises import judged, passage_facts, passage_rows
from tests.fake_infiller import FakeInfiller

POOL = load_texts(Passage, ASSETS / "passages.json")
TEXT = "Anna met Bertil near the old harbour of Visby on a cold and windy day in May."


def entry(*hidden: str) -> Passage:
    return Passage("toy", "Toy", TEXT, tuple(Answer(h, TEXT.index(h)) for h in hidden), ())


def facts(*hidden: str, model: FakeInfiller | None = None) -> dict:
    return passage_facts(entry(*hidden), model or FakeInfiller())


class Told(FakeInfiller):
    """What a head says of the first hidden pieces, piece after piece, as given."""

    def __init__(self, *said: dict[str, Said]) -> None:
        super().__init__()
        self.said = said

    def infill(self, *given, **more):
        found = super().infill(*given, **more)
        pieces = [replace(p, **s) for p, s in zip(found.pieces, self.said, strict=False)]
        return replace(found, pieces=(*pieces, *found.pieces[len(pieces) :]))


def said(rank: int = 1, loss: float = 0.0) -> Said:
    return Said((Guess("x", 0, 0.5),), rank, 0.5, loss)


def test_the_file_has_the_passages_that_the_chapter_promises():
    assert len(POOL) >= 10 and len({p.text for p in POOL}) == len(POOL)
    assert all(1 < p.text.count(".") <= 6 and p.promise for p in POOL)
    assert any("words == 4" in p.promise and "championship" in p.text for p in POOL)
    failures = {e.id: e.context for e in load_texts(PoolExample, ASSETS / "failures.json")}
    assert failures["fails-roentgen"] == {p.id: p.text for p in POOL}["roentgen"]


@pytest.mark.parametrize(
    ("hidden", "promise"),
    [
        (("the old harbour of",), "words == 4"),
        (("the old", "harbour", "May"), "spans == 3 and runs == 2"),
        (("Anna",), "'the first token' in no_sbo"),
        (("May.",), "'the last token' in no_sbo"),
        (("met",), "no_sbo == '; '"),
        (("the old harbour",), "pieces == 1 and words == 3"),
    ],
)
def test_what_hangs_on_the_text_alone(hidden, promise):
    assert judged(promise, facts(*hidden))[0], judged(promise, facts(*hidden))


@pytest.mark.parametrize(("curve", "fall"), [((1, 2, 5, 6, 4, 1), 3.5), ((5, 5, 1, 2, 5, 5), -3.5)])
def test_a_long_run_falls_in_the_middle_or_does_not(curve, fall):
    model = Told(*({"sbo": said(loss=loss)} for loss in curve))
    assert facts("near the old harbour of Visby", model=model)["fall"]() == fall


def test_what_a_wire_or_a_neighbour_is_worth_and_how_words_rank():
    toy, dearest = FakeInfiller(), set()
    for word in ("met", "near", "old", "harbour", "Visby", "cold", "windy", "day"):
        at = [span_at(toy.encode(TEXT), h.char_start, h.char_end) for h in entry(word).hidden]
        masked = hide(toy.encode(TEXT).context_ids, at, toy.mask_id)
        cuts = {wire: frozenset({wire} - {""}) for wire in ("", "left", "right", "position")}
        loss = {wire: toy.infill(masked, cut).pieces[0].sbo.loss for wire, cut in cuts.items()}
        dearest.add(facts(word, model=toy)["dearest"](word))
        assert loss[facts(word, model=toy)["dearest"](word)] == max(loss.values())
    assert len(dearest) > 1
    toy.rows = np.repeat(toy.rows[:1], len(toy.rows), axis=0)
    assert facts("old harbour", model=toy)["guesses"]() == 1, "equal rows cannot tell blanks apart"
    guess, guesses = (facts("old harbour")[name] for name in ("guess", "guesses"))
    assert guesses("position") <= guesses()
    assert guess("old", "left", "the") == guess("old"), "the word that stands there"
    assert {guess("old", "left", x) for x in ("met", "cold", "day")} - {guess("old")}
    found = facts("old harbour", model=Told({"mlm": said(3), "sbo": said(2), "both": said(5)}))
    assert [found[head]("old") for head in ("mlm", "sbo", "both")] == [3, 2, 5]
    other = facts("old harbour")["mlm"]("harbour")
    assert found["mlm"]("old", "harbour") == max(3, other), "the lowest of several"


@pytest.mark.model
def test_the_bundled_model_keeps_every_promise():
    from qa_demo.model.spanbert import load_spanbert

    assert not [row for row in passage_rows(load_spanbert(), POOL) if not row[2]]
