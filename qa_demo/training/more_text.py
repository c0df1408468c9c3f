"""More free text to pre-train on, as one paragraph a line: a MediaWiki dump, WordNet's glosses,
paragraphs of SQuAD-layout files.

    pip install mwparserfromhell==0.7.2
    python -m qa_demo.training.more_text --dump pages-articles.xml.bz2 --glosses data.noun \\
        --squad qa/qed.json.gz --apart text/*.txt.gz --out runs/more.txt.gz

What of `--apart` is held out must stay unseen: a paragraph that shares twelve words in a row with
it is left out and counted. The bundled SpanBERT took the 106 articles that the test data of gensim
4.4.0 carries (Wikipedia, CC BY-SA), the noun glosses of WordNet 3.0 (its own free licence), and
paragraphs of QED, QAMR, SQuAD and COVID-QA.
"""

import bz2
import gzip
import logging
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from qa_demo.core.measuring.squad import read_squad
from qa_demo.training.flags import described, exit_code
from qa_demo.training.text import read_text

log = logging.getLogger("more_text")
SHARED = 12  # words in a row that make two paragraphs the same text
SHORTEST, GLOSS = 20, 12  # words


def articles(dump: Path) -> Iterator[str]:
    """The wikitext of every article of a dump, one page at a time, without redirects."""
    with bz2.open(dump) if dump.suffix == ".bz2" else dump.open("rb") as file:
        for _, page in ET.iterparse(file):
            if not page.tag.endswith("}page"):
                continue
            if page.find("{*}redirect") is None and page.findtext("{*}ns") == "0":
                yield page.findtext("{*}revision/{*}text") or ""
            page.clear()


def prose(wikitext: str) -> Iterator[str]:
    """Plain paragraphs of at least SHORTEST words: no notes, tables, lists, headings, links."""
    import mwparserfromhell  # for this command alone

    code = mwparserfromhell.parse(wikitext)
    for node in [
        *code.filter_tags(matches=lambda tag: tag.tag in ("ref", "table", "gallery", "math")),
        *code.filter_wikilinks(matches=lambda link: ":" in link.title),
        *code.filter_headings(),
    ]:
        code.remove(node) if code.contains(node) else None
    for raw in code.strip_code(normalize=True, collapse=True).splitlines():
        line = (
            re.sub(r"\(\s*[;,]?\s*\)", "", " ".join(raw.split()))
            .replace(" ,", ",")
            .replace("  ", " ")
        )
        if (
            len(line.split()) >= SHORTEST
            and line[0].isalnum()
            and line[-1] in ".!?\"')"
            and not re.search(r"[{}|<>]|\[\[|https?:", line)
        ):
            yield line


def glosses(data: Path) -> Iterator[str]:
    """`word, word: gloss` of every synset of a WordNet file whose gloss has GLOSS words."""
    for line in data.read_text(encoding="utf-8").splitlines():
        head, bar, gloss = line.partition(" | ")
        fields = head.split()
        if bar and not line.startswith("  ") and len(gloss.split()) >= GLOSS:
            words = [
                re.sub(r"\(.*\)", "", fields[4 + 2 * k]).replace("_", " ")
                for k in range(int(fields[3], 16))
            ]
            yield f"{', '.join(words)}: {' '.join(gloss.split())}"


def rows_of_words(paragraph: str) -> Iterator[tuple[str, ...]]:
    """All SHARED words in a row of a paragraph, small letters, without punctuation."""
    words = re.findall(r"\w+", paragraph.lower())
    return (tuple(words[k : k + SHARED]) for k in range(len(words) - SHARED + 1))


def unseen(paragraphs: Iterable[str], apart: Sequence[str]) -> tuple[list[str], int]:
    """The paragraphs, once each, that share no SHARED words with those kept apart; how many did."""
    known = {row for paragraph in apart for row in rows_of_words(paragraph)}
    once = list(dict.fromkeys(paragraphs))
    kept = [paragraph for paragraph in once if known.isdisjoint(rows_of_words(paragraph))]
    return kept, len(once) - len(kept)


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line, write the paragraphs, say how many came from where."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    p = described(__doc__, "more_text")
    p.add_argument("--dump", nargs="*", default=[], type=Path, help="MediaWiki XML, also .bz2")
    p.add_argument(
        "--glosses", nargs="*", default=[], type=Path, help="data.noun and the like of WordNet"
    )
    p.add_argument("--squad", nargs="*", default=[], help="SQuAD-layout files, also .gz")
    p.add_argument(
        "--apart",
        nargs="+",
        required=True,
        help="the text whose held-out paragraphs must stay unseen",
    )
    p.add_argument("--out", type=Path, required=True)
    a = p.parse_args(argv)
    held, found = read_text(a.apart)[1], []
    sources = [
        *((path, (line for text in articles(path) for line in prose(text))) for path in a.dump),
        *((path, glosses(path)) for path in a.glosses),
        *((name, (" ".join(e.context.split()) for e in read_squad(name))) for name in a.squad),
    ]
    for name, source in sources:
        kept, dropped = unseen(source, held)
        log.info(
            "%s: %d paragraphs, %d words; %d left out, they are held out elsewhere",
            Path(name).name,
            len(kept),
            sum(len(line.split()) for line in kept),
            dropped,
        )
        found += kept
    a.out.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(a.out, "wt", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in dict.fromkeys(found))


if __name__ == "__main__":
    raise SystemExit(main())
