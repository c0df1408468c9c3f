"""Pages to print, as one file of HTML without a script: texts are escaped, sheets end where the
paper does.
"""

from collections.abc import Iterable, Sequence
from html import escape

PAPERS = ("A4", "letter")
"""What CSS calls the two sizes of paper."""
STYLE = """
@page { size: %s portrait; margin: 11mm 13mm; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 190mm; color: #000; background: #fff; }
body { font: 400 8.6pt/1.28 "Source Sans 3", "Helvetica Neue", Arial, sans-serif; }
section.sheet { break-after: page; }
section.sheet:last-child { break-after: auto; }
h1 { font: 600 15pt/1.2 Georgia, serif; margin: 0 0 3pt; }
p { margin: 0 0 3pt; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%%; }
th, td { border-top: 0.6pt solid #77777d; padding: 2pt 4pt; text-align: left; }
th, td { vertical-align: top; overflow-wrap: anywhere; }
thead th { font-weight: 600; border-top: 0; white-space: nowrap; }
tbody th { font-weight: 600; white-space: nowrap; }
tr { break-inside: avoid; }
ol { margin: 4pt 0 0; padding-left: 16pt; }
li { margin: 0 0 6pt; break-inside: avoid; }
li p { margin: 1pt 0 0; }
.quiet { color: #4a4a50; }
@media screen { body { padding: 8mm; } }
"""


def document(title: str, paper: str, sheets: Sequence[str]) -> str:
    """The whole file; each sheet is HTML that `sheet` made."""
    body = "\n".join(sheets)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>{STYLE % paper}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def sheet(title: str, parts: Iterable[str]) -> str:
    """One sheet of paper below its title."""
    return f'<section class="sheet">\n<h1>{escape(title)}</h1>\n{"".join(parts)}</section>'


def paragraph(text: str, name: str = "") -> str:
    """A paragraph; `name` is its class."""
    kind = f' class="{name}"' if name else ""
    return f"<p{kind}>{escape(text)}</p>\n"


def numbered(items: Iterable[tuple[str, Sequence[str]]]) -> str:
    """A numbered list, each item with lines of its own below it."""
    rows = "".join(f"<li>{escape(text)}{_below(lines)}</li>\n" for text, lines in items)
    return f"<ol>\n{rows}</ol>\n"


def _below(lines: Sequence[str]) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column names its rows; a cell's line ends are kept."""
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    lines = "".join(f"<tr>{_cells(row)}</tr>\n" for row in rows)
    return f"<table>\n<thead><tr>{top}</tr></thead>\n<tbody>{lines}</tbody>\n</table>\n"


def _cells(row: Sequence[str]) -> str:
    first, *rest = [escape(cell).replace("\n", "<br>") for cell in row]
    return f'<th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in rest)
