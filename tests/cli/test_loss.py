"""python -m qa_demo loss and the endpoint `loss`, compared with each other."""

import json
from pathlib import Path

import gradio as gr
import numpy as np
import pytest

from qa_demo.cli.main import main
from qa_demo.core.errors import BadInput
from qa_demo.core.files.report import loss_json
from qa_demo.core.options import WindowOptions
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Span
from qa_demo.model.loading import load_reader
from qa_demo.views.api.loss import make_loss
from tests.core.toys import t1
from tests.model import kit
from tests.requests import services

FIELDS = ["question", "reader", "normaliser", "gold", "terms", "total", "windows"]
WINDOWS = ["--max-seq-length", "40", "--doc-stride", "7"]


def run(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str, str]:
    return kit.command(capsys, "loss", folder, *WINDOWS, *more)


def test_json_is_the_loss_of_the_label(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That the loss is torch's own stands in tests/model/test_learning.py."""
    a, b = kit.CONTEXT.index("George"), kit.CONTEXT.index("George") + len("George Rotne")
    code, out, _ = run(folder, capsys, "--gold", str(a), str(b), "--json")
    report = json.loads(out)
    assert code == 0 and list(report) == FIELDS
    reading = load_reader(str(folder)).read(kit.QUESTION, kit.CONTEXT, WindowOptions(40, 7))
    wanted = loss_json(reading, (span_at(reading.encoding, a, b),))
    assert report["gold"] == wanted["gold"]
    (gold,) = report["gold"]
    assert (gold["text"], gold["char_start"], gold["char_end"]) == ("George Rotne", a, b)
    assert 0 < gold["whole_in"] < len(report["windows"]) == len(reading.windows)
    assert report["total"] == pytest.approx(wanted["total"], abs=1e-5)
    assert sum(t["weight"] * t["value"] for t in report["terms"]) == pytest.approx(report["total"])
    assert {t["over"] for t in report["terms"]} == {len(reading.windows)}


def test_a_label_that_windows_cut_is_said_to_count_as_no_answer(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(folder, capsys, "--gold", "0", str(len(kit.CONTEXT)))
    assert code == 0
    assert "(whole in 0 of" in out
    assert "windows; the others count it as no answer)" in out
    code, out, _ = kit.command(
        capsys, "loss", folder, "--max-seq-length", "64", "--doc-stride", "7", "--gold", "0", "3"
    )
    assert "(whole in 1 of" in out
    where = f"--reader {folder} --max-seq-length 64 --doc-stride 7 --gold 4 10".split()
    assert main(["loss", "--question", "Who?", "--context", "The bridge.", *where]) == 0
    assert "whole in" not in capsys.readouterr().out


def test_lines_for_a_person_and_no_answer(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(folder, capsys)
    assert code == 0 and out.startswith("label: no answer\nterm") and "total" in out


def test_an_annotator_without_an_answer_stands_beside_the_others(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(folder, capsys, "--gold", "0", "3", "--none", "1")
    assert code == 0 and len(out.split("label: ")) == 3 and "label: no answer" in out


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--gold", "5", "5"], "span of characters"),
        (["--gold", "0", "9999"], "span of characters"),
        (["--gold", "x", "1"], "invalid int"),
        (["--none", "-1"], "0 to 100"),
        (["--normaliser", "shared"], "exactly one gold answer"),
    ],
)
def test_bad_labels_are_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], flags: list[str], said: str
) -> None:
    code, out, err = run(folder, capsys, *flags)
    assert code == 2 and said in err and out == "" and len(err.strip().splitlines()[-1]) < 300


@pytest.mark.parametrize(
    "flags",
    [["--max-answer-length", "3"], ["--n-best-size", "5"], ["--scale", "logit"], ["--top-n-grid"]],
)
def test_flags_of_the_decoding_are_none_of_this_command(
    folder: Path, capsys: pytest.CaptureFixture[str], flags: list[str]
) -> None:
    code, out, err = run(folder, capsys, *flags)
    assert code == 2 and out == "" and "unrecognized arguments" in err
    assert kit.command(capsys, "tag", folder, *WINDOWS, *flags)[0] == 2


def test_the_vector_of_one_head_with_two_labels() -> None:
    """Three annotators, two on "Delta", one on "Delta Epsilon": by hand from the toy's logits."""
    reading = t1()
    report = loss_json(reading, (Span(3, 3), Span(3, 3), Span(3, 4)))
    z = [np.log(np.exp(reading.logits(w)[side]).sum()) for side in (0, 1) for w in (0, 1)]
    start = (
        (z[0] - reading.logits(0)[0][[6, 6, 0]]).mean() + (z[1] - reading.logits(1)[0][4]).mean()
    ) / 2
    assert report["terms"][0]["value"] == pytest.approx(start, abs=1e-5)
    shared = loss_json(reading, (Span(3, 4),), "shared")
    assert {t["over"] for t in shared["terms"]} == {8}
    assert shared["total"] == pytest.approx(sum(t["value"] for t in shared["terms"]))
    with pytest.raises(BadInput):
        loss_json(reading, (Span(3, 4),), "paragraph")


def test_the_endpoint_is_the_command_lines_json() -> None:
    text = "The towers were drawn by Georg Rotne. They stand near Malmö."
    reply = make_loss(services())("Who drew the towers?", text, [[25, 36], [25, 30]])
    assert list(reply) == [*FIELDS, "seconds"]
    assert [g["text"] for g in reply["gold"]] == ["Georg Rotne", "Georg"]
    assert make_loss(services())("Who drew the towers?", text)["gold"] == [None]
    assert [
        g and g["text"] for g in make_loss(services())("Who?", text, [[25, 30], None])["gold"]
    ] == ["Georg", None]
    for wrong in ("x", [[1]], [["a", 2]], [[True, 2]], [[0, 10**9]], [[5, 5]], [[0, 1]] * 101):
        with pytest.raises(gr.Error):
            make_loss(services())("Who?", text, wrong)
    with pytest.raises(gr.Error, match="normaliser"):
        make_loss(services())("Who?", text, None, "everything")
    with pytest.raises(gr.Error, match="surrogate"):
        make_loss(services())("Who?", "half \ud800")
