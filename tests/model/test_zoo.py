"""Broken, foreign and hostile model folders are refused by reason; the reader in use goes on."""

import io
import json
import logging
import os
import pickle
import shutil
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import huggingface_hub.errors
import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from qa_demo import explain
from qa_demo.core.base import BadCheckpoint, BadInput, ModelUnavailable
from qa_demo.core.store import READERS
from qa_demo.model.loading import load_reader
from qa_demo.model.source import Source, parse_source, sha256
from tests.cli.terminal import OPTIONS
from tests.model import kit

WEIGHTS = "model.safetensors"
Damage = Callable[[Path], Any]


@pytest.fixture
def folder(tmp_path, saved) -> Path:
    return shutil.copytree(saved("bert"), tmp_path / "a  reader\nx")


def edit(name: str, **changes: Any) -> Damage:
    """Other values in a JSON file of the folder, which may be new."""

    def damage(folder: Path) -> None:
        path = folder / name
        found = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(found | changes))

    return damage


def tensors(change: Callable[[dict[str, torch.Tensor]], Any]) -> Damage:
    def damage(folder: Path) -> None:
        held = load_file(folder / WEIGHTS)
        change(held)
        save_file(held, folder / WEIGHTS)

    return damage


def write(name: str, data: bytes) -> Damage:
    return lambda folder: (folder / name).write_bytes(data)


def replaced(name: str, make: Callable[[Path], Any] = Path.exists, other: str = "") -> Damage:
    """The file is gone; `make` puts something else in its place, or at another name."""
    return lambda folder: ((folder / name).unlink(), make(folder / (other or name)))


def bigger_vocabulary(folder: Path) -> None:
    words = kit.tokenizer("bert")
    words.add_tokens(["zeppelin"])
    words.save_pretrained(folder)


def bio_head(width: int, value: float) -> Damage:
    head = {"weight": torch.full((3, width), value), "bias": torch.zeros(3)}
    return lambda folder: save_file(head, folder / "bio_head.safetensors")


def headed(named: Any, folder: Path) -> None:
    kit.made(folder, "modernbert", "ForTokenClassification")
    edit("config.json", architectures=named)(folder)


NAMED = (["ModernBertForTokenClassification"], [], None, "ModernBertForQuestionAnswering", [5])
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 44\n"
NAN, LARGE = float("nan"), torch.tensor([float("inf"), 0]).half()
PANIC = {"type": "Precompiled", "precompiled_charsmap": "AAAA"}
NO_MODEL = "no model that can be built"
CHOSEN = ["auto_map", "custom_pipelines", "quantization_config", "transformers_weights"]
CHOSEN += ["configuration_files", "attribute_map"]
CODE, CUT_OFF = "which chooses code", "safetensors file is cut off or damaged; copy it anew"
PICKLE = "model.safetensors is missing .*pickles such as pytorch_model.bin can run code"
PIECES_ALONE = r"the tokenizer is missing \(tokenizer.json, not SentencePiece's alone\)"
ENCODER = r"of a question-answering model are missing \(1, such as qa_outputs.bias\); an encoder"
MERGE_FIRST = "it is an adapter of {}: merge it first"
FILES = f"config reader checksums {WEIGHTS}.index adapter_config tokenizer_config".split()
config, card, sums, index, adapter, words = (partial(edit, f"{name}.json") for name in FILES)
BROKEN: list[tuple[Damage, str]] = [
    (config(intermediate_size=64), NO_MODEL),
    (config(num_hidden_layers=3), r"answering model are missing \(16, such as bert"),
    (config(num_hidden_layers=1), r"no place for tensors of layers \(16, such as bert"),
    (config(model_type="gpt2"), "model_type 'gpt2'.*bert, distilbert"),
    *((config(**{key: ["evil"]}), f"config.json has the key '{key}', {CODE}") for key in CHOSEN),
    (config(_attn_implementation_internal="evil/a"), f"_implementation_internal', {CODE}"),
    (config(attn_implementation={"": "evil/a"}), CODE),
    (config(hidden_size=10**12), NO_MODEL),
    (config(position_embedding_type="relative_key"), "= relative_key; only absolute"),
    *((config(**{key: True}), f"{key} = True; only False") for key in ("is_decoder", "is_causal")),
    (write("config.json", b"[]"), "config.json is missing or holds no object"),
    (write("config.json", b"\xff\x00"), "config.json is not valid JSON"),
    (write("config.json", b"[" * 100_000), "config.json is not valid JSON"),
    (replaced("config.json", lambda path: path.symlink_to(__file__)), "link that leads out"),
    (replaced("config.json", lambda path: path.symlink_to(path)), "config.json cannot be read"),
    (write("adapter_config.json", b'["a"]'), MERGE_FIRST.format("another model")),
    (replaced("config.json"), "config.json is missing or"),
    (write("tokenizer.json", b"{"), NO_MODEL),
    (replaced("tokenizer.json"), "the tokenizer is missing"),
    (adapter(base_model_name_or_path="a/b\nc"), MERGE_FIRST.format("a/b c")),
    (card(tag_order=["O", "B", "I"]), "reader.json: tag_order.0: must be 'B', got 'O'"),
    (card(threshold=NAN), "reader.json: threshold: must be less than 1,000,000, got nan"),
    (card(calibration={"span": {"temperature": 0}}), "temperature must be 0.05 to 20, got 0"),
    (write("reader.json", b"[]"), r"reader.json: must be an object, got \[\]"),
    (edit("tokenizer.json", normalizer=PANIC), rf"{NO_MODEL} \(PanicException\)"),
    (replaced("tokenizer.json", Path.touch, "spm.model"), PIECES_ALONE),
    (words(auto_map={"AutoTokenizer": ["e.E"]}), f"tokenizer_config.json .*'auto_map', {CODE}"),
    (words(fast_tokenizer_files=["tokenizer.4.0.json"]), f"'fast_tokenizer_files', {CODE}"),
    (write("tokenizer_config.json", b'{"tokenizer_class": "E"}'), "no token for one of cls, sep"),
    (write("tokenizer_config.json", POINTER), "tokenizer_config.json is a git-LFS pointer"),
    (bigger_vocabulary, "tokenizer and model do not fit: the tokenizer has ids up to"),
    (write(WEIGHTS, POINTER), "is a git-LFS pointer, not the file itself; run git lfs pull"),
    (lambda folder: os.truncate(folder / WEIGHTS, 9_999), CUT_OFF),
    (replaced(WEIGHTS, Path.touch, "pytorch_model.bin"), PICKLE),
    (replaced(WEIGHTS, lambda path: os.mkfifo(path)), "not a plain file"),
    (index(weight_map={"a": "../b.safetensors"}), "'../b.safetensors' would be read too, and is"),
    (write("shard-00001-model-00001-of-00001.safetensors", b""), "'shard-0.* would be read too"),
    (tensors(lambda t: t["bert.embeddings.LayerNorm.bias"].fill_(NAN)), "Norm.bias holds numb"),
    (tensors(lambda t: t.update({"qa_outputs.bias": LARGE})), "not finite"),
    (tensors(lambda t: t.pop("qa_outputs.bias")), ENCODER),
    (bio_head(8, 0.0), "bio_head.safetensors holds no head that fits this model"),
    (bio_head(16, NAN), "bio_head.safetensors: weight holds numbers that are not finite"),
    (lambda folder: kit.save(folder, "bert", num_labels=1), NO_MODEL),
    *((partial(headed, named), "must have architectures =") for named in NAMED),
    (sums(**{"../../etc/passwd": "0" * 64}), "is missing, checksums.json lists it"),
    (sums(**{WEIGHTS: "0" * 64}), "model.safetensors was changed: .* delete that list$"),
]


@pytest.mark.parametrize(("damage", "reason"), BROKEN)
def test_a_broken_folder_is_named_and_the_reader_goes_on(damage, reason, folder, bert, monkeypatch):
    """In our own sentence alone, without the table that transformers prints of the same."""
    printed = io.StringIO()
    terminal = logging.StreamHandler(printed)
    monkeypatch.setattr(logging.getLogger("transformers"), "handlers", [terminal])
    logging.getLogger("transformers").setLevel(logging.WARNING)  # as it begins
    before = bert.read(kit.QUESTION, kit.CONTEXT[:80], OPTIONS).start_logits
    damage(folder)
    with pytest.raises(BadCheckpoint, match=reason) as caught:
        load_reader(str(folder))
    said = str(caught.value)
    assert said.startswith("a  reader x: ") and str(folder.parent) not in said and "\n" not in said
    assert "LOAD REPORT" not in printed.getvalue()
    after = bert.read(kit.QUESTION, kit.CONTEXT[:80], OPTIONS).start_logits
    np.testing.assert_array_equal(after, before)


@pytest.fixture
def hub(folder, monkeypatch) -> SimpleNamespace:
    """Stands in for Hugging Face: what is fetched comes from a folder here."""
    snapshot = folder.rename(folder.parent / ("f" * 40))
    config, rest = Mock(return_value=str(snapshot / "config.json")), Mock(return_value=snapshot)
    monkeypatch.setattr("huggingface_hub.get_hf_file_metadata", lambda address: None)
    monkeypatch.setattr("huggingface_hub.hf_hub_download", config)
    monkeypatch.setattr("huggingface_hub.snapshot_download", rest)
    return SimpleNamespace(snapshot=snapshot, config=config, rest=rest)


def test_neither_pickle_nor_code_is_reached_and_the_kernels_package_stops_loading(
    folder, monkeypatch
):
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"evil": 1}))
    for name in ("model", "modeling_bert", "configuration_bert"):
        (folder / f"{name}.py").write_text("raise SystemExit")
    trap = Mock(side_effect=AssertionError)
    for where, name in ((pickle, "load"), (pickle, "loads"), (pickle, "Unpickler")):
        monkeypatch.setattr(where, name, trap)
    monkeypatch.setattr(torch, "load", trap)
    monkeypatch.setattr(socket.socket, "connect", trap)
    assert load_reader(str(folder)).read("who", "the bridge", OPTIONS)
    trap.assert_not_called()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    with pytest.raises(ModelUnavailable, match="'kernels' is installed"):
        load_reader(str(folder))


def test_a_snapshot_lacks_only_what_is_not_loaded_and_the_bundled_folder_nothing(hub, monkeypatch):
    """A published reader's list names card and figures, which the hub is not asked for."""
    folder = hub.snapshot
    gone = dict.fromkeys(("README.md", "metrics.json", "ablation/a.json"), "0" * 64)
    sums = {path.name: sha256(path) for path in folder.iterdir()} | gone
    (folder / "checksums.json").write_text(json.dumps(sums))
    assert load_reader("owner/name").checksum == sha256(folder / "checksums.json")
    monkeypatch.setitem(READERS, "bundled", folder)
    with pytest.raises(BadCheckpoint, match=r"README.md is missing, checksums.json lists it"):
        load_reader("bundled")
    (folder / "bio_head.safetensors").unlink()
    said = r"owner/name: bio_head.safetensors is missing, checksums.json lists it"
    with pytest.raises(BadCheckpoint, match=said):
        load_reader("owner/name")
    (folder / "checksums.json").unlink()
    with pytest.raises(BadCheckpoint, match=r"bundled: checksums.json is missing"):
        load_reader("bundled")


def test_a_folder_that_reads_otherwise_has_another_checksum(folder):
    grown = tensors(lambda t: t["qa_outputs.bias"].add_(1))
    changes = (Path.exists, words(do_lower_case=False), bio_head(16, 1.0), sums(), grown)
    found = [(change(folder), load_reader(folder).checksum)[1] for change in changes]
    assert len({*found}) == 4 and found[2] == found[3], "a list of nothing holds nothing"


def test_harmless_keys_are_ignored(folder):
    named = {"_attn_implementation": "sdpa", "attn_implementation": "eager"}
    named |= {"_attn_implementation_autoset": True, "_name_or_path": "/etc/passwd"}
    named |= {"torch_dtype": "float16", "architectures": ["Evil"], "unknown": {"a": 1}}
    named |= {"return_dict": False, "gradient_checkpointing": True, "chunk_size_feed_forward": 7}
    edit("config.json", **named)(folder)
    reader = load_reader(str(folder))
    assert reader.model.config._attn_implementation == "sdpa"
    assert reader.model.dtype == torch.float32
    reading = reader.read("who", "the bridge", OPTIONS)
    assert reader.attention(reading.windows[0]).shape[-1] == len(reading.windows[0])
    assert explain(reader, reading).values.any()


SECRET_PATHS = "../../etc/passwd /etc /etc/passwd ~ ~root C:\\windows con /nonexistent x/../y"
NO_SOURCES = "file:///etc/passwd https://example.org/x owner/name@ owner//name a/b@../../c"
UNREADABLE = ["a" * 5000, "a\0b", "", "  "]


@pytest.mark.parametrize("text", [*SECRET_PATHS.split(), *NO_SOURCES.split(), *UNREADABLE, "a/b"])
def test_a_host_for_others_is_no_oracle_for_files(text, monkeypatch):
    monkeypatch.setattr("os.path.isdir", lambda _: pytest.fail("the disk was asked"))
    with pytest.raises(ModelUnavailable, match="offers its own readers only") as caught:
        parse_source(text, False)
    assert "passwd" not in str(caught.value)


def test_sources_are_parsed(tmp_path):
    assert parse_source("bundled", False) == Source("bundled", READERS["bundled"])
    assert parse_source(str(tmp_path)).path == tmp_path
    found = parse_source("deepset/tiny-roberta@a1b2c3")
    assert (found.path, found.repo, found.revision) == (None, "deepset/tiny-roberta", "a1b2c3")
    assert parse_source("o/n@refs/pr/1").revision == "refs/pr/1"
    for text in (*NO_SOURCES.split(), *UNREADABLE, "/nonexistent", "x/../y", "~nobody-here"):
        with pytest.raises(BadInput, match=r"reader's name.*allowed are 'bundled'"):
            parse_source(text)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("GatedRepoError", "does not exist on Hugging Face, .* asks its users to accept terms"),
        ("RevisionNotFoundError", "was not fetched .*RevisionNotFoundError"),
        ("EntryNotFoundError", "has no config.json"),
        ("LocalEntryNotFoundError", "cannot be reached from here.*bundled reader, which works"),
    ],
)
def test_the_hubs_refusals_are_one_sentence(error, words, hub):
    kind = getattr(huggingface_hub.errors, error)
    hub.config.side_effect = kind.__new__(kind)
    with pytest.raises(ModelUnavailable, match=f"owner/name: it .*{words}") as caught:
        load_reader("owner/name")
    assert "http" not in str(caught.value)


def test_a_hub_reader_is_named_with_its_commit_and_a_bad_config_stops_before_the_weights(hub):
    reader = load_reader("owner/name@main")
    assert (reader.name, reader.checksum) == ("owner/name@ffffffff", "f" * 40)
    asked = hub.rest.call_args.kwargs
    assert (hub.config.call_args.kwargs["revision"], asked["revision"]) == ("main", "f" * 40)
    assert not any(p.endswith((".bin", ".py")) for p in asked["allow_patterns"])
    hub.rest.reset_mock()
    edit("config.json", auto_map={"a": "b"})(hub.snapshot)
    with pytest.raises(BadCheckpoint, match=r"owner/name: .*auto_map"):
        load_reader("owner/name")
    hub.rest.assert_not_called()


def test_no_internet_is_one_sentence_at_once(tmp_path, monkeypatch):
    """Real requests, to a port of this machine on which nobody listens."""
    monkeypatch.setattr("time.sleep", Mock(side_effect=AssertionError))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", nobody)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
        with pytest.raises(ModelUnavailable, match=r"cannot be reached.*works offline"):
            load_reader("owner/name")
