"""First questions: short texts of everyday kinds, never trained on, all accepted answers listed."""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from qa_demo.core.store import ASSETS
from qa_demo.evaluation.questions import read_squad
from qa_demo.training import score
from qa_demo.training.score import first

FILE = ASSETS / "first_questions.json"
SECOND, THIRD = (FILE.with_stem(f"first_questions_{name}") for name in ("second", "third"))
KINDS = {"two-word name", "date with a day", "who gave what to whom", "two numbers"}
KINDS |= {"negation", "everyday"}


@pytest.mark.parametrize(
    ("path", "least", "of_a_kind"), [(FILE, 100, 9), (SECOND, 60, 5), (THIRD, 40, 4)]
)
def test_a_file_holds_short_texts_of_every_kind(path: Path, least: int, of_a_kind: int) -> None:
    questions = read_squad(path)
    kinds = Counter(q.title for q in questions)
    assert len({(q.question, q.context) for q in questions}) == len(questions) >= least
    assert set(kinds) == KINDS and min(kinds.values()) >= of_a_kind
    assert all(len(q.context) < 160 and q.question.endswith("?") for q in questions)


def test_no_text_stands_in_two_files() -> None:
    texts = [{q.context for q in read_squad(path)} for path in (FILE, SECOND, THIRD)]
    assert sum(map(len, texts)) == len(set.union(*texts))


@pytest.mark.model
def test_the_card_counts_what_the_bundled_reader_answers() -> None:
    from qa_demo.model.loading import load_reader

    reader = load_reader("bundled")
    card = (ASSETS / "reader" / "README.md").read_text(encoding="utf-8")
    for path in (SECOND, THIRD):
        *misses, last = first(reader, read_squad(path)).splitlines()
        assert last.removesuffix(" are exact") in card, path.name
        assert last == f"{len(read_squad(path)) - len(misses)} of {len(read_squad(path))} are exact"


def test_an_answer_counts_as_the_page_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    said = ("the Sax", 0.0), ("Adolphe", 0.0), ("Adolphe Sax", 2.0)
    rows = [
        {"id": "", "title": "", "question": "Who made it?", "context": "Adolphe Sax made it."}
        | {"gold": [{"text": "Sax", "char_start": 8}, {"text": "Adolphe Sax", "char_start": 0}]}
        | {"n_best": [{"text": text}], "score_diff": diff, "best": {"kind": "", "because": ""}}
        for text, diff in said
    ]
    monkeypatch.setattr(score, "heard", lambda *_: {"": [{"span": row} for row in rows]})
    reader = SimpleNamespace(threshold=1.0)
    assert first(reader, [None] * 3).splitlines() == [
        "said 'Adolphe': Who made it? Adolphe Sax made it.",
        "withheld 'Adolphe Sax': Who made it? Adolphe Sax made it.",
        "1 of 3 are exact",
    ]


@pytest.mark.model
def test_a_broken_file_is_refused_before_the_reader_is_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score, "load_reader", None)
    path = tmp_path / "questions.json"
    path.write_text("{")
    assert score.main(["--first", str(path)]) == 2
    assert "questions.json is not readable as JSON" in capsys.readouterr().err
    assert score.main(["--dev", "d.json"]) == 2
    assert capsys.readouterr().err == "score takes --dev and --dev-v2, or --first\n"
