"""python -m qa_demo attribute in this process, compared with the reader's own attribution."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from qa_demo.core.explaining.attribution import Target
from qa_demo.core.options import WindowOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.words import span_at
from qa_demo.model.loading import load_reader
from tests.model import kit

OPTIONS = WindowOptions(max_seq_length=40, doc_stride=7)
FIELDS = {
    "question",
    "reader",
    "method",
    "target",
    "span",
    "other",
    "window",
    "baseline",
    "tokens",
    "sum",
    "f_x",
    "f_baseline",
    "gap",
    "n_steps",
}


def attribute(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str, str]:
    return kit.command(
        capsys, "attribute", folder, "--max-seq-length", "40", "--doc-stride", "7", *more
    )


def report(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    code, out, err = attribute(folder, capsys, "--json", *more)
    assert code == 0, err
    return json.loads(out)


def test_json_is_the_readers_attribution_of_the_best_span(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = report(folder, capsys)
    reader = load_reader(str(folder))
    reading = reader.read(kit.QUESTION, kit.CONTEXT, OPTIONS)
    best = predict(reading).best.candidate
    expected = reader.attribute(reading, Target("span_score", best.span, window=best.window))
    assert set(found) == FIELDS
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
            text = (kit.QUESTION if token["side"] == "question" else kit.CONTEXT)[
                token["char_start"] : token["char_end"]
            ]
            assert (
                unicodedata.normalize("NFD", text.lower())[0] == token["text"].removeprefix("##")[0]
            )


def test_a_span_against_another(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = report(
        folder,
        capsys,
        "--target",
        "span_minus_other",
        "--span",
        "4",
        "10",
        "--other",
        "20",
        "25",
        "--method",
        "gradient_x_input",
    )
    assert found["span"]["text"] == kit.CONTEXT[4:10] == "bridge"
    assert found["other"]["text"] == kit.CONTEXT[20:25]
    assert found["f_baseline"] is found["gap"] is found["baseline"] is None
    assert found["method"] == "gradient_x_input"
    reading = load_reader(str(folder)).read(kit.QUESTION, kit.CONTEXT, OPTIONS)
    s, e = reading.logits(0)
    first, second = (span_at(reading.encoding, *chars) for chars in ((4, 10), (20, 25)))
    (i, j), (k, m) = (
        [reading.windows[0].to_pos(doc) for doc in (span.start, span.end)]
        for span in (first, second)
    )
    assert found["f_x"] == pytest.approx(s[i] + e[j] - s[k] - e[m], abs=1e-4)


def test_lines_for_a_person(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = attribute(
        folder, capsys, "--span", "4", "10", "--n-steps", "30", "--baseline", "mask"
    )
    assert code == 0
    assert out.startswith("span_score of 'bridge'")
    assert "after 30 steps" in out
    assert "the baseline (mask)" in out


def test_a_method_with_nothing_to_say_prints_no_zeros(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = kit.command(
        capsys,
        "attribute",
        kit.save(tmp_path / "tiny", "deberta-v2"),
        "--max-seq-length",
        "60",
        "--doc-stride",
        "12",
        "--method",
        "gradient_x_input",
    )
    assert code == 0
    assert "exactly nothing here" in out
    assert "(context)" not in out
    assert len(out.splitlines()) == 3


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--span", "4", "4"], "0 <= start < end <="),
        (["--span", "0", "99999"], "got 0 and 99999"),
        (["--n-steps", "0"], "n_steps must be between 1 and"),
        (["--target", "span_minus_other"], "needs a second span"),
        (["--method", "guess"], "invalid choice"),
        (
            ["--span", "0", "3", "--other", "400", "405", "--target", "span_minus_other"],
            "no window holds both spans whole",
        ),
    ],
)
def test_bad_flags_are_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], more: list[str], words: str
) -> None:
    code, out, err = attribute(folder, capsys, *more)
    assert code == 2 and out == "" and words in err and "Traceback" not in err
