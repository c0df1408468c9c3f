"""Long texts made of an article: the answers stand where they stood."""

import json
import random
from pathlib import Path

import pytest

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.measured import STEPS, load_measured
from qa_demo.core.store import ASSETS
from qa_demo.core.types import Answer, Example
from qa_demo.training.window_steps import JOINT, lengthened, long_texts

ARTICLE = [f"Paragraph {k} says that number {k} is here. " + "word " * k for k in range(12)]


def example(k: int) -> Example:
    at = ARTICLE[k].index(f"number {k}")
    return Example(f"q{k}", "Which?", ARTICLE[k], (Answer(f"number {k}", at),), title="A")


@pytest.mark.parametrize("words", [1, 40, 90, 10_000])
def test_a_long_text_holds_the_answer_where_it_says(words: int) -> None:
    for k in range(len(ARTICLE)):
        made = lengthened(example(k), ARTICLE, words, random.Random(k))
        (answer,) = made.answers
        assert made.context[answer.char_start : answer.char_end] == f"number {k}"
        parts = made.context.split(JOINT)
        first = ARTICLE.index(parts[0])
        assert parts == ARTICLE[first : first + len(parts)]
        assert len(made.context.split()) >= words or len(parts) == len(ARTICLE)
        added = max(len(p.split()) for p in (parts[0], parts[-1]))
        assert len(parts) == 1 or len(made.context.split()) - added < words


def test_the_draw_follows_its_seed_and_takes_answerable_questions() -> None:
    rows = [*map(example, range(12)), Example("none", "?", ARTICLE[0], (), True, "A")]
    one, same, other = (long_texts(rows, 60, 6, seed) for seed in (1, 1, 2))
    assert one == same != other and all(e.answers for e in one)
    with pytest.raises(BadInput, match="is 13 questions, --dev has 12 with an answer"):
        long_texts(rows, 60, 13, 1)


def test_figures_of_other_weights_are_not_shown(tmp_path: Path) -> None:
    for name in (STEPS, "metrics.json", "checksums.json"):
        (tmp_path / name).write_bytes((ASSETS / "reader" / name).read_bytes())
    found = load_measured(tmp_path)
    assert found is not None and found.window_steps is not None
    assert [row.doc_stride for row in found.window_steps.steps] == [128, 192, 256]
    listed = json.loads((tmp_path / "checksums.json").read_text())
    (tmp_path / "checksums.json").write_text(json.dumps(listed | {"model.safetensors": "0" * 64}))
    other = load_measured(tmp_path)
    assert other is not None and other.window_steps is None
