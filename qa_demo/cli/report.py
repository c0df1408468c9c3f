"""python -m qa_demo report PREDICTIONS: one file of HTML that opens without a network."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from qa_demo.cli.entities import entity_types
from qa_demo.cli.files import write_file
from qa_demo.cli.predictions import read_lines, read_run
from qa_demo.core.base import BadInput
from qa_demo.core.measuring.comparison import check_questions, check_same
from qa_demo.core.store import ASSETS
from qa_demo.evaluation.bundle import script
from qa_demo.evaluation.embed import embedded, packed
from qa_demo.evaluation.evaluation import report_data
from qa_demo.evaluation.own_slices import FIELDS, FUNCTIONS, own_slice
from qa_demo.evaluation.slices import Slice

if TYPE_CHECKING:
    from qa_demo.model.evaluating import Evaluation

ENTRY = "report/report.js"
PAGE = "http://127.0.0.1:7860/"
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


def add(commands: Any) -> None:
    """The flags of `report`."""
    command = commands.add_parser(
        "report",
        help="make a page of a file of predictions",
        description="Answer types: a number where the answer holds a digit or a number word, else "
        "a name where a word inside a sentence begins with a capital letter, else words; and the "
        "entity of spaCy's en_core_web_sm where that is installed.",
    )
    command.add_argument("predictions", type=Path, help="What evaluate --out wrote.")
    command.add_argument("--against", type=Path, help="The lines of a second reader.")
    command.add_argument(
        "--out", type=Path, default=Path("report.html"), help="Default: report.html."
    )
    add_page(command)
    add_different(command)
    add_slice(command)


def add_different(command: argparse.ArgumentParser) -> None:
    """--allow-different."""
    command.add_argument(
        "--allow-different",
        action="store_true",
        help="Compare two readers on the same questions though windows, options or rules differ.",
    )


def add_page(command: argparse.ArgumentParser) -> None:
    """--page."""
    command.add_argument(
        "--page", default=PAGE, help=f"Where Spanlight runs, for the links. Default: {PAGE}"
    )


def add_slice(command: argparse.ArgumentParser) -> None:
    """--slice."""
    known = ", ".join(f"{name} ({says})" for name, says in FIELDS.items())
    command.add_argument(
        "--slice",
        dest="slices",
        action="append",
        default=[],
        metavar="'NAME: EXPRESSION'",
        help=f"A further way to sort questions, such as 'short: words(question) < 6'; may stand "
        f"several times. It may name {known} and the file's own columns, and call "
        f"{', '.join(FUNCTIONS)}.",
    )


def run(args: argparse.Namespace) -> None:
    """Write the report."""
    outs = [args.predictions, *([args.against] if args.against is not None else [])]
    if args.allow_different and args.against is None:
        raise BadInput("--allow-different belongs to a second file; give --against")
    slices = [own_slice(text) for text in args.slices]
    write_report(args.out, outs, args.page, args.allow_different, slices)


def write_report(
    path: Path, outs: list[Path], page: str, different: bool = False, slices: Sequence[Slice] = ()
) -> None:
    """Read the lines of one or two readers and write the page; `different` allows other settings.
    Errors: BadInput.
    """
    check_page(page)
    files = [(read_lines(out), read_run(out)) for out in outs]
    if not files[0][0]:
        raise BadInput(f"{outs[0].name} holds no question")
    _write(path, files, page, different, slices)


def report(
    found: "Evaluation",
    path: str | Path = "report.html",
    against: "Evaluation | None" = None,
    *,
    slices: Sequence[str] = (),
    page: str = PAGE,
    allow_different: bool = False,
) -> None:
    """Write the page of one or two evaluations (`qa_demo.evaluate`) of the same rows; `slices` are
    rules as those of --slice. Errors: BadInput.
    """
    check_page(page)
    files = [(one.rows, one.run) for one in (found, against) if one is not None]
    _write(Path(path), files, page, allow_different, [own_slice(text) for text in slices])


def _write(
    path: Path,
    files: Sequence[tuple[Sequence[dict[str, Any]], dict[str, Any]]],
    page: str,
    different: bool,
    slices: Sequence[Slice],
) -> None:
    (rows, run), *others = files
    if others:
        check_questions(rows, others[0][0])
    if others and not different:
        check_same(run, others[0][1])
    against, other = others[0] if others else ((), None)
    slices = (*slices, *entity_types(rows))
    write_file(path, html(report_data(rows, run, against, other, slices) | {"page": page}))


def check_page(page: str) -> None:
    """Refuse what is no address of a page. Errors: BadInput."""
    parts = urlsplit(page)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.fragment:
        raise BadInput(f"--page must be an address such as {PAGE}, got {page[:80]!r}")


def _columns(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A list for each field instead of an object for each row: like stands beside like, which
    packs to four fifths (data.js makes rows of them).
    """
    lists = {name: [row[name] for row in rows] for name in rows[0]}
    return {name: _columns(of) if isinstance(of[0], dict) else of for name, of in lists.items()}


def html(data: dict[str, Any]) -> str:
    """The page around the data, which is compressed: no text of a file can end its block, and the
    script shows each as text.
    """
    sheets = (ASSETS / "report" / "report.css", ASSETS / "report" / "shared" / "mirrored.css")
    style = "".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
    block = packed(embedded(data | {"rows": _columns(data["rows"])}))
    body = (
        f'<body>\n<main></main>\n<script type="application/gzip" id="data">{block}</script>\n'
        f"<script>{script(ASSETS, ENTRY)}</script>\n"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>Report</title>\n<style>{style}</style>\n</head>\n{body}</body>\n</html>\n"
    )
