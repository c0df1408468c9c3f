"""What the tags of a reading add to chapter 7: picture, sentence and tables."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from qa_demo.core.learning.bio import DECODINGS, TaggedSpan
from qa_demo.core.learning.tagging import owned_rows, tagging
from qa_demo.core.types import Reading
from qa_demo.figures.bio import picture as figure
from qa_demo.figures.bio.loss import loss_data, one_hot_data, terms_table
from qa_demo.figures.bio.spans import (
    decodings_data,
    decodings_table,
    glue_data,
    marginals,
    threshold_data,
)
from qa_demo.figures.pack import printable
from qa_demo.views.bio import bench
from qa_demo.views.examples import load_examples
from qa_demo.views.state import Screen


@dataclass(frozen=True, eq=False)
class Made:
    """What the tags of a reading add to the page."""

    picture: dict[str, Any]
    notice: str
    tables: tuple[dict[str, Any], ...] = ()


def without_tags(screen: Screen) -> Made:
    return Made(
        {},
        f"{printable(screen.reading.model_name)} has no BIO head: it was trained with a start "
        "and an end vector only.",
    )


def with_tags(screen: Screen, reading: Reading) -> Made:
    rows, owner = owned_rows(reading)
    found = {name: tagging(reading, name) for name in DECODINGS}
    viterbi = found["viterbi"]
    golds, named = bench.annotators(screen)
    best = screen.prediction.best
    keep = (
        [x.span for t in found.values() for x in t.spans]
        + [span for spans in golds for span in spans]
        + ([] if best is None else [best.candidate.span])
    )
    losses, own = loss_data(reading, rows, golds, named), bench.bench_of(screen)
    picture = {
        "bars": figure.bars_data(reading, rows, keep),
        "decodings": decodings_data(reading, found),
        "compare": figure.compare_sentence(screen.prediction, viterbi.spans),
        "threshold": threshold_data(reading, screen.decode, own.threshold),
        "glue": glued(screen, reading, viterbi.spans),
        "loss": losses,
        "one": one_hot_data(reading, rows, golds[own.one], own.one),
    }
    tables = (
        figure.tag_table(reading, rows, owner, viterbi.tags.tolist(), figure.open_runs(rows, keep)),
        decodings_table(reading, found),
        terms_table(losses["terms"]),
    )
    said = figure.notices(screen.prediction, viterbi, found["strict"], rows)
    picture["notices"] = {**said, "annotators": losses["says"]}
    return Made(picture, said["tags"], tables)


def glued(screen: Screen, reading: Reading, spans: tuple[TaggedSpan, ...]) -> dict[str, Any]:
    """The glued span of this reading, or the examples that have one."""
    found = bench.glue_of(screen, reading, spans)
    if found is None:
        return {"found": None, "examples": glued_examples()}
    data = glue_data(reading, found, screen.decode, marginals(reading, found), spans)
    return {"found": data, "examples": []}


def glued_examples() -> list[dict[str, str]]:
    """Examples whose annotators name two answers that stand apart."""
    out = []
    for e in load_examples().values():
        places = sorted({(a.char_start, a.char_end) for a in e.answers})
        if len(e.context) < 400 and any(a[1] < b[0] for a, b in pairwise(places)):
            out.append({"title": e.title, "id": e.id})
    return out[:6]
