"""First questions: the file is what it claims, and the report counts what a visitor would see."""

import re
from collections import Counter
from pathlib import Path

import pytest

from qa_demo.core.store import ASSETS
from qa_demo.core.types import Answer, Example
from qa_demo.evaluation.questions import read_squad
from qa_demo.training import score
from qa_demo.training.score import replies, report
from tests.fakes import FakeReader

FILE = ASSETS / "first_questions.json"
SECOND, THIRD = (FILE.with_stem(f"first_questions_{name}") for name in ("second", "third"))
NAMES = ("Adolphe Sax", "Sax")
ASKED = Example(
    "",
    "Who made it?",
    "Adolphe Sax made it.",
    (Answer(NAMES[0], 0), Answer(NAMES[1], 8)),
    title="two-word name",
)
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
    for path in (FILE, SECOND):
        text, _ = report(replies(reader, read_squad(path)))
        assert re.search(r"^all: (\d+ of \d+) ", text, re.M)[1] in card, path.name


def test_an_answer_counts_as_the_page_shows_it() -> None:
    said = (("the Sax", "Sax"), ("Adolphe", "Adolphe"), (None, "Adolphe Sax"))
    right, other, kept = ((ASKED, *texts) for texts in said)
    text, percent = report([right, other, kept, right])
    assert "said 'Adolphe', accepted Adolphe Sax | Sax: Who made it?" in text
    assert "withheld 'Adolphe Sax'" in text
    assert "two-word name: 2 of 4" in text
    assert "all: 2 of 4 exact (50.0 %), 3 with nothing withheld" in text
    assert percent == 50


def test_the_reader_is_asked_as_the_page_asks_it() -> None:
    ((asked, answer, best),) = replies(FakeReader(), [ASKED])
    assert asked is ASKED and best in ASKED.context and answer in (None, best)


def test_a_broken_file_is_refused_before_the_reader_is_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score, "load_reader", None)
    path = tmp_path / "questions.json"
    path.write_text("{")
    assert score.main(["--first", str(path)]) == 2
    assert "questions.json is not readable as JSON" in capsys.readouterr().err
