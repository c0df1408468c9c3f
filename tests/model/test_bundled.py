"""The bundled reader: its folder, its answers, and what it says of how sure it is."""

import json
import re
from dataclasses import asdict

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from qa_demo.core.bio import best_tagged
from qa_demo.core.predict import predict
from qa_demo.core.store import READERS
from qa_demo.core.types import DecodeOptions
from qa_demo.model import products
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.model.source import sha256
from qa_demo.texts import paragraph_items, question_items
from tests.documents import TEXT
from tests.model import kit

pytestmark = pytest.mark.model

FOLDER = READERS["bundled"]
FILES = {"model.safetensors", "bio_head.safetensors", "README.md"}
FILES |= {f"{name}.json" for name in ("metrics", "config", "reader", "checksums")}
FILES |= {"tokenizer.json", "tokenizer_config.json"}
LOUVRE = "The Louvre is a large art museum in Paris. It was opened to the public in 1793."
PLAY = "The play was written by Henrik Ibsen and first staged in Copenhagen."
SHOP = "The shop was opened {} and closed in May."
LOVE = "The sign that means love is \u2764\ufe0f and is red."
ANSWERED = [
    ("Where is the Louvre?", LOUVRE, "Paris"),
    ("When was the Louvre opened to the public?", LOUVRE, "1793"),
    ("Who wrote the play?", PLAY, "Henrik Ibsen"),
    # answers that end in a mark which the tokenizer drops
    ("Who opened the shop?", SHOP.format("by Rene\u0301"), "Rene\u0301"),
    ("Where was the shop opened?", SHOP.format("in Malmo\u0308"), "Malmo\u0308"),
    ("Which sign means love?", LOVE, "\u2764\ufe0f"),
]
SAID = {
    "Who invented the saxophone?": {"Adolphe Sax"},
    "At what temperature does gold melt?": {"1,064", "1,064 degrees", "1,064 degrees Celsius"},
}
"""What a person would answer to the questions that the documents ask."""


@pytest.fixture(scope="module")
def reader() -> BertReader:
    return load_reader("bundled")


def test_the_folder_is_complete_with_both_heads_and_the_logits_of_transformers(reader, monkeypatch):
    assert {path.name for path in FOLDER.iterdir()} == FILES
    manifest = json.loads((FOLDER / "checksums.json").read_text())
    assert set(manifest) == FILES - {"checksums.json", "README.md"}
    assert manifest == {name: sha256(FOLDER / name) for name in manifest}
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 50_000_000
    types = {tensor.dtype for tensor in load_file(FOLDER / "model.safetensors").values()}
    assert types <= {torch.float16, torch.bfloat16, torch.int64}
    assert (reader.name, reader.max_seq_length) == ("bundled", 512)
    assert reader.threshold == json.loads((FOLDER / "reader.json").read_text())["threshold"]
    assert reader.checksum == sha256(FOLDER / "checksums.json")
    measured = json.loads((FOLDER / "metrics.json").read_text())["claim"]
    assert asdict(reader.calibrations.answerable).items() <= measured.items()
    assert measured["error"] <= 0.04, "the aim, held out"
    monkeypatch.setattr(products, "is_amd", lambda: False)
    reader = load_reader("bundled")
    for question, context, _ in ANSWERED:
        kit.assert_as_transformers(reader, FOLDER, question, context, apart=0)


@pytest.mark.parametrize(("question", "context", "answer"), ANSWERED)
def test_plain_questions_and_answers_that_end_in_a_mark(reader, question, context, answer):
    reading = reader.read(question, context)
    best = predict(reading).best.candidate
    assert best.text == answer and best.char_start == context.index(answer)
    assert answer in best_tagged(reading).text


def test_the_examples_of_the_documents_are_answered_as_a_person_would(reader):
    asked = re.findall(r'"([^"\n]+\?)",\s*"([^"\n]+)"(?!:)', TEXT)
    asked += re.findall(r"--question '([^']+)' --context '([^']+)'", TEXT)
    assert {question for question, _ in asked} == set(SAID)
    for question, context in asked:
        reading = reader.read(question, context)
        said = predict(reading, DecodeOptions(null_score_diff_threshold=reader.threshold or 0.0))
        assert said.answer in SAID[question]


def test_a_text_is_shown_as_typed_where_pieces_share_a_character(reader):
    asked = "누가 다리를 설계했나?"
    text = "한국의 다리는 Rene\u0301 가 \U0001f469\u200d\U0001f4bb 설계했다."
    encoding = reader.encode(asked, text)
    assert (np.diff(encoding.offset_mapping[:, 0]) == 0).any(), "a syllable is several pieces"
    for items, wanted in ((paragraph_items(encoding), text), (question_items(encoding), asked)):
        assert "".join(one["t"] + one["gap"] for one in items) == wanted
    signs = question_items(reader.encode("谁在2019年建了tokenizer?", text))  # each a word
    assert [one["t"] for one in signs if one.get("joined")] == ["izer"]
