"""The scoring command on a toy reader, and the first questions: short texts, never trained on."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from qa_demo.core.base import BadInput
from qa_demo.core.bio import best_tagged, null_log_prob
from qa_demo.core.metrics import normalize
from qa_demo.core.predict import predict
from qa_demo.core.store import ASSETS
from qa_demo.core.types import Calibration, Calibrations, Example
from qa_demo.evaluation.questions import read_squad
from qa_demo.evaluation.table import MOST_LOST
from qa_demo.examples import shipped
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.model.work import Passes
from qa_demo.training import score
from qa_demo.training.data import held_out
from qa_demo.training.export import write_checksums
from qa_demo.training.score import HEADS, heard, lines
from tests.model import kit

pytestmark = pytest.mark.model
FIRST, SECOND, THIRD = (ASSETS / f"first_questions{n}.json" for n in ("", "_second", "_third"))
TEXTS = ["Ada", "Ada Byron", "the river", "river Thames", "1843", "18", ""]
SETS = st.sets(st.sampled_from(TEXTS), max_size=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    where = tmp_path_factory.mktemp("scoring") / "reader"
    write_checksums(kit.save(where, bio=True, max_position_embeddings=512))
    return where


@pytest.fixture(scope="module")
def reader(folder) -> BertReader:
    found = load_reader(str(folder))
    found.passes = Passes(1)  # in one thread alone: the same last digits
    return found


def paragraph(k: int) -> str:
    return (
        f"The bridge {k} over the river was designed by George {k} and the towers by Ingeborg. "
        f"It opened in {1900 + k}."
    )


def squad(path: Path, reader: BertReader, unanswerable: bool = False, lists: bool = False) -> Path:
    """Twelve questions of four articles: of three, one is start and end's, one tags', one none."""
    paragraphs = []
    for k in range(12):
        context, more = paragraph(k), {}
        reading = reader.read(kit.QUESTION, context)
        text = ("opened", predict(reading).best.candidate.text, best_tagged(reading).text)[k % 3]
        if lists:
            at = context.index(text)
            more["spans"] = [[[at, at + len(text)], *([[0, 3]] if at > 3 else [])]]
        answers = [] if unanswerable and k % 3 == 0 else [text]
        qa = kit.asked(f"{path.stem}{k}", kit.QUESTION, context, *answers, **more)
        paragraphs.append((context, [qa]))
    return kit.written(path, *(paragraphs[k : k + 3] for k in range(0, 12, 3)))


@pytest.fixture(scope="module")
def scored(folder, reader, tmp_path_factory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("files")
    files = [squad(home / "dev.json", reader), squad(home / "v2.json", reader, unanswerable=True)]
    files.append(squad(home / "li.json", reader, lists=True))
    (folder / "metrics.json").write_text('{"old": 1, "claim": {}}')
    score.main(f"--reader {folder} --dev {files[0]} --dev-v2 {files[1]} --lists {files[2]}".split())
    return json.loads((folder / "metrics.json").read_text()) | {"files": files}


def test_each_text_is_read_once_as_the_page_reads_it(reader, monkeypatch):
    contexts, read = [*map(paragraph, (0, 1, 11, 0)), kit.CONTEXT * 6], []
    asked = [Example(str(k), kit.QUESTION, c, ()) for k, c in enumerate(contexts)]
    once = BertReader.read
    monkeypatch.setattr(BertReader, "read", lambda *x: read.append(x[2]) or once(*x))
    found = heard(reader, {"one": asked, "two": asked[1:2]})
    assert sorted(read) == sorted(set(contexts))
    for e, heads in zip([*asked, asked[1]], [*found["one"], *found["two"]], strict=True):
        assert heads == lines(once(reader, e.question, e.context), e)
    with pytest.raises(BadInput, match="no character"):
        heard(reader, {"one": [Example("x", kit.QUESTION, "\x00", ())]})

    reading = reader.read(kit.QUESTION, kit.CONTEXT * 6)
    tagged, none = best_tagged(reading), null_log_prob(reading)  # whose power is 0 in a float
    said = lines(reading, Example("x", kit.QUESTION, kit.CONTEXT * 6, ()))
    assert said["bio"]["n_best"] == [{"text": tagged.text}]
    assert said["bio"]["score_diff"] == pytest.approx(none - np.log(tagged.marginal)), "by logs"
    assert said["span"]["score_diff"] == predict(reading).score_diff


def test_the_figures_of_the_command_fit_each_other(folder, scored):
    assert scored["reliability"]["span"]["measured_on"] == 12
    for head in HEADS:
        scores = scored["squad_dev_v2"][head]
        assert (scores["total"], scores["NoAns_total"]) == (12, 4)
        assert scores["answerable_f1_without_threshold"] - scores["HasAns_f1"] <= MOST_LOST
        assert round(scored["squad_dev"][head]["exact"]) == 33
    assert scored["squad_dev"]["span"] != scored["squad_dev"]["bio"]
    kept = held_out(read_squad(scored["files"][2]))  # lists that no training sees
    assert 0 < len(kept) < 12
    for name, head in (("all", "bio"), ("li.json", "span")):
        assert scored["lists"][name][head]["total"] == len(kept)
    stored = [shipped(f"{name}/metrics.json") for name in ("reader", "reader-large")]
    for part in ("speed", "squad_dev", "squad_dev_v2", "reliability"):
        assert [keys(x[part]) for x in stored] == [keys(scored[part])] * 2, "of this command"

    again, fit = load_reader(str(folder)), scored["reliability"]["span"]
    assert again.threshold == scored["squad_dev_v2"]["span"]["threshold"]
    assert again.calibrations == Calibrations(Calibration(fit["temperature"], fit["bias"]))
    assert "claim" not in scored, "random weights: a larger lead makes no answer likelier"
    assert "old" not in scored and scored["speed"]["questions"] == 12
    words = "--reader reader --dev dev.json --dev-v2 v2.json --lists li.json"
    assert scored["command"] == f"python -m qa_demo.training.score {words}"


def keys(found: Any) -> Any:
    return {k: keys(x) for k, x in found.items()} if isinstance(found, dict) else None


@given(st.lists(st.tuples(SETS, SETS), min_size=1, max_size=4))
@example([({"Edith", "Anna Holm"}, {"Edith", "Holm"})])
def test_lists_are_scored_by_the_sums_of_the_published_script(pairs):
    wanted, said = ([{normalize(x) for x in pair[k]} for pair in pairs] for k in (0, 1))
    golds, preds = (sum(max(1, len(x)) for x in side) for side in (wanted, said))
    right = sum(len(w & s) for w, s in zip(wanted, said, strict=True))
    got = score.list_scores([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    assert got["exact"]["precision"] == pytest.approx(100 * right / preds)
    assert got["exact"]["recall"] == pytest.approx(100 * right / golds)
    assert got["exact"]["f1"] == pytest.approx(200 * right / (preds + golds))
    assert got["whole_lists"] == 100 * sum(map(set.__eq__, wanted, said)) / len(pairs)


def test_first_questions_are_short_and_the_card_counts_what_the_bundled_reader_answers():
    files = [read_squad(path) for path in (FIRST, SECOND, THIRD)]
    assert [len({(q.question, q.context) for q in one}) for one in files] == [107, 60, 40]
    assert all(len(q.context) < 160 and q.question.endswith("?") for one in files for q in one)
    texts = [{q.context for q in one} for one in files]
    assert sum(map(len, texts)) == len(set.union(*texts))
    reader = load_reader("bundled")
    card = (ASSETS / "reader" / "README.md").read_text(encoding="utf-8")
    for path in (SECOND, THIRD):
        *misses, last = score.first(reader, read_squad(path)).splitlines()
        assert last.removesuffix(" are exact") in card, path.name
        assert last == f"{len(read_squad(path)) - len(misses)} of {len(read_squad(path))} are exact"


def test_an_answer_counts_as_the_page_shows_it(monkeypatch):
    said = ("the Sax", 0.0, 1.0), ("Adolphe", 0.0, 0.0), ("Adolphe Sax", 2.0, 1.0)
    rows = [
        {"question": "Who made it?", "context": "Adolphe Sax made it.", "gold": ["Sax"]}
        | {"n_best": [{"text": text}], "score_diff": diff}
        | {"best": {"exact": exact, "f1": exact, "kind": "", "because": ""}}
        for text, diff, exact in said
    ]
    monkeypatch.setattr(score, "heard", lambda *_: {"": [{"span": row} for row in rows]})
    assert score.first(SimpleNamespace(threshold=1.0), [None] * 3).splitlines() == [
        "said 'Adolphe': Who made it? Adolphe Sax made it.",
        "withheld 'Adolphe Sax': Who made it? Adolphe Sax made it.",
        "1 of 3 are exact",
    ]


def test_an_odd_file_is_refused_before_the_reader_is_loaded(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(score, "load_reader", None)
    (broken := tmp_path / "questions.json").write_text("{")
    one = kit.written(tmp_path / "v2", [("Ada.", [kit.asked("q", "Who?", "Ada.", "Ada")])])
    for asked, said in (
        (f"--first {broken}", "questions.json is not readable as JSON"),
        ("--dev d.json", "score takes --dev and --dev-v2, or --first\n"),
        (f"--dev {one} --dev-v2 {one}", "v2 must ask with and without an answer, got one kind"),
    ):
        assert score.main(asked.split()) == 2 and said in capsys.readouterr().err
