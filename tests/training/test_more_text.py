"""More text to pre-train on: a small dump, WordNet's layout, nothing held out."""

import bz2
import gzip
import json
from pathlib import Path

import pytest

from qa_demo.training import more_text
from qa_demo.training.text import held_out

BRIDGE = (
    "The old bridge crosses the river below the castle and was built of grey stone by the masons "
    "of the town in the year 1380 for the bishop."
)
DUMP = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">
<page><title>Old bridge</title><ns>0</ns><revision><text>{{Infobox|a=1}}
'''The old bridge''' crosses the [[Moldau|river]] below the castle&lt;ref&gt;A book, with a long note of its own, p. 7.&lt;/ref&gt; and was built of grey stone by the masons of the town in the year 1380 for the bishop.

== History of the bridge that is long enough to be taken for a paragraph of twenty words if headings counted as words too ==
* a list that has more than twenty words in it and yet is no paragraph of prose because it does not end like a sentence does
[[File:bridge.jpg|thumb|A caption of more than twenty words that stands beside the picture of the old bridge over the river, seen from \
the castle at dawn.]]
{| class="wikitable"
| a table
|}
Too short.
</text></revision></page>
<page><title>The bridge</title><ns>0</ns><redirect title="Old bridge" /><revision><text>#REDIRECT [[Old bridge]]</text></revision></page>
<page><title>Talk:Old bridge</title><ns>1</ns><revision><text>%s</text></revision></page>
</mediawiki>""" % ("I think that the old bridge is not that old, and that " * 4 + "it is.")  # noqa: E501 - a paragraph of a dump is one line


@pytest.mark.parametrize("suffix", ["xml", "xml.bz2"])
def test_a_dump_gives_the_prose_of_its_articles(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"dump.{suffix}"
    raw = DUMP.encode()
    path.write_bytes(bz2.compress(raw) if suffix.endswith("bz2") else raw)
    (article,) = more_text.articles(path)
    assert list(more_text.prose(article)) == [BRIDGE]


def test_glosses_name_their_words(tmp_path: Path) -> None:
    data = tmp_path / "data.noun"
    data.write_text(
        "  1 This software and database is being provided to you | by Princeton University under "
        "the following licence and so "
        "on, all of it\n"
        "15103007 27 n 03 clapboard 0 weather_board(a) 0 siding 0 002 @ 15041050 n 0000 + 01337430 "
        "v 0101 | a long thin board "
        "with one edge thicker than the other; used as siding  \n"
        "15102894 27 n 01 knothole 0 000 | a short gloss\n"
    )
    assert list(more_text.glosses(data)) == [
        "clapboard, weather board, siding: a long thin board with one edge thicker than the other; "
        "used as siding"
    ]


def test_text_that_shares_twelve_words_in_a_row_is_left_out() -> None:
    apart = [BRIDGE]
    eleven = "Nobody knows why the river below the castle and was built of grey stone at all."
    twelve = "Nobody knows why THE RIVER, below the castle and was built of grey stone! at all."
    assert more_text.unseen([eleven, eleven], apart) == ([eleven], 0)
    thirteen = twelve.replace("stone", "stone by")
    assert more_text.unseen([thirteen, BRIDGE, "short"], apart) == (["short"], 2)
    assert more_text.unseen([eleven.replace("stone", "stone by")], apart)[1] == 1


def test_the_command_writes_one_paragraph_a_line_and_keeps_held_out_text_unseen(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    others = (BRIDGE.replace("bishop", f"bishop {k}") for k in range(500))
    apart = tmp_path / "apart.txt"
    apart.write_text(f"{next(filter(held_out, others))}\nanother paragraph\n")
    (tmp_path / "dump.xml").write_text(DUMP)
    asked = {"id": "1", "question": "which?", "answers": [{"text": "one", "answer_start": 0}]}
    paragraph = {"context": "one\ntwo  three", "qas": [asked]}
    squad = {"data": [{"title": "t", "paragraphs": [paragraph]}]}
    (tmp_path / "qa.json").write_text(json.dumps(squad))
    texts = f"--dump {tmp_path}/dump.xml --squad {tmp_path}/qa.json --apart {apart}"
    with caplog.at_level("INFO"):
        more_text.main(f"{texts} --out {tmp_path}/new/more.txt.gz".split())
    assert gzip.decompress((tmp_path / "new" / "more.txt.gz").read_bytes()) == b"one two three\n"
    assert "dump.xml: 0 paragraphs, 0 words; 1 left out" in caplog.text
    assert "qa.json: 1 paragraphs, 3 words; 0 left out" in caplog.text
