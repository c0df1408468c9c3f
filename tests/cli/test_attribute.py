"""python -m qa_demo attribute in this process, compared with the reader's own attribution."""

import unicodedata
from pathlib import Path

import pytest

from qa_demo.core.attribution import Target
from qa_demo.core.measuring.attributed import attributed_json
from qa_demo.core.predict import predict
from qa_demo.core.text import span_at
from qa_demo.core.types import Reading
from qa_demo.model.reader import BertReader
from tests.cli.terminal import Terminal
from tests.model import kit

FIELDS = "question reader method target span other window baseline tokens sum f_x f_baseline gap"


def test_json_is_the_readers_attribution_of_the_best_span(
    reader: BertReader, reading: Reading, terminal: Terminal
) -> None:
    found = terminal.asked("attribute")
    best = predict(reading).best.candidate
    expected = reader.attribute(reading, Target("span_score", best.span, window=best.window))
    assert set(found) == {*FIELDS.split(), "n_steps"}
    assert [t["start"] for t in found["tokens"]] == pytest.approx(expected.start.tolist(), abs=1e-5)
    assert [t["end"] for t in found["tokens"]] == pytest.approx(expected.end.tolist(), abs=1e-5)
    assert [t["text"] for t in found["tokens"]] == list(reading.tokens(best.window))
    assert found["f_x"] == pytest.approx(best.score, abs=1e-4)
    assert found["span"]["text"] == best.text
    assert found["n_steps"] == expected.n_steps
    assert found["sum"] - (found["f_x"] - found["f_baseline"]) == pytest.approx(found["gap"])
    for token in found["tokens"]:
        assert set(token) == {"text", "side", "char_start", "char_end", "start", "end"}
        if token["side"] == "special":
            assert token["char_start"] is token["char_end"] is None
            assert token["start"] == token["end"] == 0
        else:
            text = kit.QUESTION if token["side"] == "question" else kit.CONTEXT
            letter = unicodedata.normalize("NFD", text[token["char_start"]].lower())[0]
            assert letter == token["text"].removeprefix("##")[0]
            assert token["char_end"] > token["char_start"]


def test_a_span_against_another(reading: Reading, terminal: Terminal) -> None:
    spans = "attribute --target span_minus_other --span 4 10 --other 20 25"
    found = terminal.asked(f"{spans} --method gradient_x_input")
    assert found["span"]["text"] == kit.CONTEXT[4:10] == "bridge"
    assert found["other"]["text"] == kit.CONTEXT[20:25]
    assert found["f_baseline"] is found["gap"] is found["baseline"] is None
    assert found["method"] == "gradient_x_input"
    s, e = reading.logits(0)
    first, second = (span_at(reading.encoding, *chars) for chars in ((4, 10), (20, 25)))
    (i, j), (k, m) = (
        [reading.windows[0].to_pos(doc) for doc in (span.start, span.end)]
        for span in (first, second)
    )
    assert found["f_x"] == pytest.approx(s[i] + e[j] - s[k] - e[m], abs=1e-4)


def test_lines_for_a_person(terminal: Terminal) -> None:
    out = terminal.ask("attribute --span 4 10 --n-steps 30 --baseline mask")
    assert out.startswith("span_score of 'bridge'")
    assert "after 30 steps" in out and "the baseline (mask)" in out


def test_the_list_ranks_whole_words(
    reader: BertReader, reading: Reading, terminal: Terminal
) -> None:
    """Of the method that hides words: `Rotne.` has several pieces."""
    out = terminal.ask("attribute --method leave_one_out").splitlines()
    best = predict(reading).best.candidate
    target = Target("span_score", best.span, window=best.window)
    found = attributed_json(reading, reader.attribute(reading, target, "leave_one_out"))
    ranked = sorted(found["words"], key=lambda word: -abs(word[3]))[:10]
    texts = {"question": kit.QUESTION, "context": kit.CONTEXT}
    wanted = [f"{texts[side][start:end]} ({side})" for side, start, end, _ in ranked]
    assert [line[19:] for line in out[3:]] == wanted


def test_a_method_with_nothing_to_say_prints_no_zeros(tmp_path: Path, terminal: Terminal) -> None:
    terminal.folder = kit.save(tmp_path / "tiny", "deberta-v2")
    wider = "attribute --max-seq-length 60 --doc-stride 12"
    out = terminal.ask(f"{wider} --method gradient_x_input")
    assert "exactly nothing here" in out and "(context)" not in out
    assert len(out.splitlines()) == 3
