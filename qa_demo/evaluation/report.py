"""The report on one reader's lines, or on two readers': one HTML file that opens without a network,
made of blocks and drawn by the page's own renderer.
"""

from pathlib import Path
from typing import Any

import orjson

from qa_demo import blocks as ui
from qa_demo.bundle import one_file, plotly_file, script, style
from qa_demo.evaluation.compare import Lines
from qa_demo.evaluation.drawn import Shown, shown_of
from qa_demo.evaluation.errors import failures, kinds, leads
from qa_demo.evaluation.groups import by_group, reliability
from qa_demo.evaluation.run import Evaluation
from qa_demo.evaluation.verdict import threshold, verdict
from qa_demo.files import write_file
from qa_demo.printed import plural

PAGE = "http://127.0.0.1:7860/"
MODULES = ("dom", "controls", "table", "text", "figure", "render", "report")


def write_report(path: Path, first: Lines, second: Lines | None, page: str | None) -> None:
    """Write the page of one or two readers' lines. Errors: BadInput where two files share no
    question, or where it cannot be written.
    """
    write_file(path, page_of(shown_of(first, second, page or PAGE)))


def report(
    found: Evaluation,
    path: str | Path = "report.html",
    against: Evaluation | None = None,
    *,
    page: str = PAGE,
) -> None:
    """Write the page of one or two evaluations (`qa_demo.evaluate`). Errors: BadInput."""
    other = None if against is None else (against.rows, against.run)
    write_report(Path(path), (found.rows, found.run), other, page)


def page_of(s: Shown) -> str:
    """The file's text."""
    names = " against ".join(side.name for side in s.sides)
    made = [ui.sentence("title", "heading", names), ui.sentence("asked", "closing", asked(s))]
    for section in (verdict, threshold, kinds, by_group, reliability, failures):
        made += [block for block in section(s) if block is not None]
    start: dict[str, Any] = {"metric": "f1", "mode": "run", "who": "a", "selection": None}
    start |= {side.key: side.at("run") for side in s.sides}
    limits = {side.key: side.thresholds for side in s.sides}
    data: dict[str, Any] = {"blocks": made, "start": start, "thresholds": limits}
    data["tables"] = leads(s)
    packed = orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY).decode()
    scripts = [plotly_file().decode(), script(saved=True, modules=MODULES)]
    return one_file(f"Report: {names}", "report", packed, scripts, style(saved=True))


def asked(s: Shown) -> str:
    """What was asked, by which rules and when."""
    run, rows = s.sides[0].run, s.sides[0].rows
    parts = [f"{plural(int(p.mask.sum()), 'question')} {p.name}" for p in s.parts[1:]]
    said = ", ".join(parts) or plural(len(rows), "question")
    said += f" from {plural(s.draws.count, s.drawn[:-1])} of {run.get('file', 'rows')}"
    return f"{said}, scored by the rules of SQuAD {run['rules']}."
