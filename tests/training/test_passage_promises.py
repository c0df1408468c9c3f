"""The passages: file, each promise kept and broken on a fake model, and the bundled one."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qa_demo.core.base import BadInput
from qa_demo.core.infill import Guess, Said
from qa_demo.core.types import Answer
from qa_demo.examples import Passage
from qa_demo.training import promises
from qa_demo.training.promises import PASSAGE, PASSAGES, Asked, check_passage, load_hidden
from tests.fake_infiller import FakeInfiller

POOL = load_hidden(PASSAGES)
TEXT = "Anna met Bertil near the old harbour of Visby on a cold and windy day in May."


def entry(*hidden: str, **promise: object) -> Passage:
    spans = tuple(Answer(h, TEXT.index(h)) for h in hidden)
    return Passage("toy", "Toy", "toy", "A toy.", TEXT, spans, promise)


def fault(passage: Passage, infiller: FakeInfiller | None = None) -> str | None:
    """What the only promise of a toy passage finds."""
    (found,) = check_passage(passage, infiller or FakeInfiller()).values()
    return found


class Ranked(FakeInfiller):
    """Ranks of the first hidden piece by MLM, SBO and both as given."""

    def __init__(self, mlm: int, sbo: int, both: int = 1) -> None:
        super().__init__()
        self.ranks = {"mlm": mlm, "sbo": sbo, "both": both}

    def infill(self, *given, **more):
        found = super().infill(*given, **more)
        first, *others = found.pieces
        said = {head: getattr(first, head)._replace(rank=k) for head, k in self.ranks.items()}
        return replace(found, pieces=(first._replace(**said), *others))


def test_the_file_has_the_passages_that_the_chapter_promises() -> None:
    assert len(POOL) >= 10 and len({p.text for p in POOL}) == len(POOL)
    assert all(1 < p.text.count(".") <= 6 and p.reason for p in POOL)
    assert any(p.promise.get("words") == 4 and "championship" in p.text for p in POOL)


def test_half_of_the_passages_show_their_point_by_a_right_first_guess() -> None:
    shown = [p.id for p in POOL if p.promise.keys() & {"first", "only", "misleads"}]
    assert len(shown) >= len(POOL) / 2


def test_a_fault_in_the_file_names_the_passage(tmp_path: Path) -> None:
    row = json.loads(PASSAGES.read_text(encoding="utf-8"))[0]
    path = tmp_path / "passages.json"
    for change, words in (
        ({"hidden": [{"text": "Rotne", "char_start": 0}]}, "character 0"),
        ({"promise": {"shines": 1}}, "shines"),
        ({"promise": {}}, "nothing"),
        ({"hidden": []}, "hides nothing"),
    ):
        path.write_text(json.dumps([row | change]), encoding="utf-8")
        with pytest.raises(BadInput, match=words) as error:
            load_hidden(path)
        assert row["id"] in str(error.value)
    path.write_text(json.dumps([row, row]), encoding="utf-8")
    with pytest.raises(BadInput, match="two passages"):
        load_hidden(path)


def test_what_hangs_on_the_text_alone() -> None:
    assert fault(entry("the old harbour of", words=4)) is None
    assert "4 words, promised 3" in str(fault(entry("the old harbour of", words=3)))
    assert fault(entry("the old", "harbour", "May", merge=[3, 2])) is None
    assert "3 spans become 2" in str(fault(entry("the old", "harbour", "May", merge=[3, 3])))
    assert fault(entry("Anna", edge="first")) is None and fault(entry("May.", edge="last")) is None
    assert "says ''" in str(fault(entry("met", edge="first")))
    assert fault(entry("the old harbour", beyond=True), FakeInfiller(positions=2)) is None
    assert "more than 20" in str(fault(entry("the old harbour", beyond=True)))
    assert fault(entry("old", pieces=1)) is None
    assert "more than 1 pieces" in str(fault(entry("old", pieces=2)))


@pytest.mark.parametrize(
    ("name", "kept", "broken"),
    [
        ("helps", (3, 2), (2, 2)),
        ("only", (2, 1), (1, 1)),
        ("only", (3, 1), (3, 2)),
        ("misleads", (1, 2), (2, 2)),
        ("prior", (3, 2, 3), (3, 2, 2)),
    ],
)
def test_ranks_of_one_blank(name: str, kept: tuple[int, ...], broken: tuple[int, ...]) -> None:
    passage = entry("old harbour", **{name: "old"})
    assert fault(passage, Ranked(*kept)) is None
    of = broken[-1] if name == "prior" else broken[1]
    assert f"{of} by" in str(fault(passage, Ranked(*broken)))
    with pytest.raises(BadInput, match="no hidden piece begins 'Visby'"):
        check_passage(entry("old harbour", **{name: "Visby"}), Ranked(*kept))
    with pytest.raises(BadInput, match="no SBO term"):
        check_passage(entry("Anna", **{name: "Anna"}), FakeInfiller())


def test_the_first_guess_of_each_head_named() -> None:
    passage = entry("old harbour", first={"mlm": ["old"], "sbo": ["old"]})
    assert fault(passage, Ranked(1, 1)) is None
    assert "'old': SBO says" in str(fault(passage, Ranked(1, 2)))
    both = str(fault(passage, Ranked(2, 2)))
    assert "'old': MLM says" in both and "; 'old': SBO says" in both
    assert fault(entry("old harbour", first={"sbo": ["old"]}), Ranked(2, 1)) is None


def test_a_long_run_falls_in_the_middle_or_does_not() -> None:
    class Curve(FakeInfiller):
        """SBO's loss over the run as given."""

        curve: tuple[float, ...] = ()

        def infill(self, *given, **more):
            found = super().infill(*given, **more)
            said = [
                p._replace(sbo=Said((Guess("x", 0, 0.5),), 1, 0.5, loss))
                for p, loss in zip(found.pieces, self.curve, strict=True)
            ]
            return replace(found, pieces=tuple(said))

    passage, toy = entry("near the old harbour of Visby", falls=True), Curve()
    toy.curve = (1, 2, 5, 6, 2, 1)
    assert fault(passage, toy) is None
    toy.curve = (5, 5, 1, 2, 5, 5)
    assert "1.50 in the middle and 5.00 outside" in str(fault(passage, toy))
    assert "has 2 pieces" in str(fault(entry("old harbour", falls=True)))


def test_what_a_wire_or_a_neighbour_is_worth() -> None:
    toy = FakeInfiller()
    kept = []
    for word in ("met", "near", "old", "harbour", "Visby", "cold", "windy", "day"):
        asked = Asked(entry(word, position=True), toy)
        wires, whole = ("left", "right", "position"), asked.sbo(word).loss
        cost = {w: asked.sbo(word, asked.cut(w)).loss - whole for w in wires}
        most = max(cost, key=lambda w: cost[w])
        for wire in cost:
            found = fault(entry(word, decides={"blank": word, "wire": wire}))
            kept.append(found is None)
            assert (found is None) == (wire == most and cost[most] > 0)
    assert any(kept) and not all(kept)
    # equal rows of the position table cannot tell blanks apart
    toy.rows = np.repeat(toy.rows[:1], len(toy.rows), axis=0)
    assert "first guesses" in str(fault(entry("old harbour", position=True), toy))

    def moved(word: str, hidden: str = "old harbour") -> str | None:
        blank = hidden.split()[0]
        return fault(entry(hidden, neighbour={"blank": blank, "side": "left", "word": word}))

    assert None in [moved(word) for word in ("met", "cold", "day")]
    assert "stays" in str(moved("the")), "the word that stands there already moves nothing"
    assert "2 pieces" in str(moved("a b")) and "edge" in str(moved("a", "Anna"))


def test_every_promise_is_tested_here_and_used_by_some_passage() -> None:
    assert {name for p in POOL for name in p.promise} == set(PASSAGE)


@pytest.mark.model
def test_the_bundled_model_keeps_every_promise() -> None:
    from qa_demo.model.spanbert import load_spanbert

    broken = [row for row in promises.passage_rows(load_spanbert(), POOL) if not row[3]]
    assert not broken


def test_the_command_refuses_unknown_ids_before_it_loads_anything(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert promises.main(["passages", "--only", "absent"]) == 2
    assert "absent" in capsys.readouterr().err
