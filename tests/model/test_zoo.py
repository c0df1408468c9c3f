"""Broken, foreign and hostile model folders are refused by reason; the reader in use goes on."""

import builtins
import io
import json
import logging
import os
import pickle
import shutil
import socket
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import huggingface_hub.errors
import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from qa_demo.core.base import BadCheckpoint, BadInput, ModelUnavailable
from qa_demo.core.store import READERS
from qa_demo.core.types import WindowOptions
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.model.source import OTHERS, Source, parse_source, sha256
from tests.model import kit

OPTIONS = WindowOptions(max_seq_length=40, doc_stride=7)


@pytest.fixture
def folder(tmp_path, saved) -> Path:
    return shutil.copytree(saved("bert"), tmp_path / "reader")


@pytest.fixture(scope="module")
def in_use(loaded) -> tuple[BertReader, np.ndarray]:
    """A reader, and what it says of a text before anything else was loaded."""
    reader = loaded("bert")
    return reader, reader.read(kit.QUESTION, kit.CONTEXT[:80], OPTIONS).start_logits


def weights(folder: Path) -> Path:
    return folder / "model.safetensors"


def edit(name: str, **changes: Any) -> Callable[[Path], None]:
    """Other values in a JSON file of the folder, which may be new."""

    def damage(folder: Path) -> None:
        path = folder / name
        found = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(found | changes))

    return damage


edit_config = partial(edit, "config.json")


def edit_tensors(change: Callable[[dict[str, torch.Tensor]], Any]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        tensors = load_file(weights(folder))
        change(tensors)
        save_file(tensors, weights(folder))

    return damage


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 44\n"


def write(name: str, data: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(data) and None


def cut(size: Callable[[int], int]) -> Callable[[Path], None]:
    return lambda folder: os.truncate(weights(folder), size(weights(folder).stat().st_size))


def remove(*names: str) -> Callable[[Path], None]:
    return lambda folder: [(folder / name).unlink() for name in names] and None


def only_pickle(folder: Path) -> None:
    torch.save(load_file(weights(folder)), folder / "pytorch_model.bin")
    weights(folder).unlink()


def link_out(folder: Path) -> None:
    outside = folder.parent / "outside.json"
    (folder / "config.json").rename(outside)
    (folder / "config.json").symlink_to(outside)


def pipe(folder: Path) -> None:
    weights(folder).unlink()
    os.mkfifo(weights(folder))


def loop(folder: Path) -> None:
    (folder / "config.json").unlink()
    (folder / "config.json").symlink_to(folder / "config.json")


def is_directory(folder: Path) -> None:
    weights(folder).unlink()
    weights(folder).mkdir()


def random_bytes(folder: Path) -> None:
    """Random bytes inside a sound container: what a flipped disk block looks like."""
    raw = bytearray(weights(folder).read_bytes())
    start = 8 + struct.unpack("<Q", raw[:8])[0]
    raw[start:] = np.random.default_rng(1).bytes(len(raw) - start)
    weights(folder).write_bytes(bytes(raw))


def bigger_vocabulary(folder: Path) -> None:
    words = kit.tokenizer("bert")
    words.add_tokens(["zeppelin"])
    words.save_pretrained(folder)


def bio_head(width: int, value: float) -> Callable[[Path], None]:
    tensors = {"weight": torch.full((3, width), value), "bias": torch.zeros(3)}
    return lambda folder: save_file(tensors, folder / "bio_head.safetensors")


NAN, INFINITY = float("nan"), float("inf")
NO_MODEL = "no model that can be built"
CODE = "which chooses code"
CONFIGS: list[tuple[dict[str, Any], str]] = [
    ({"id2label": {"0": "a", "1": "b", "2": "c"}}, NO_MODEL),
    ({"intermediate_size": 64}, NO_MODEL),
    ({"num_hidden_layers": 3}, r"question-answering model are missing \(16, such as bert"),
    ({"model_type": None}, "model_type 'None'"),
    ({"model_type": "gpt2"}, "model_type 'gpt2'.*bert, distilbert"),
    ({"model_type": {"a": 1}}, "model_type"),
    ({"auto_map": {"AutoModel": "evil--model.Evil"}}, f"'auto_map', {CODE}"),
    ({"custom_pipelines": {"qa": {}}}, f"'custom_pipelines', {CODE}"),
    ({"quantization_config": {"a": "evil"}}, f"'quantization_config', {CODE}"),
    ({"transformers_weights": "../evil.bin"}, f"'transformers_weights', {CODE}"),
    ({"_attn_implementation": "evil/a"}, f"'_attn_implementation', {CODE}"),
    ({"_attn_implementation_internal": "evil/a"}, CODE),
    ({"attn_implementation": {"": "evil/a"}}, CODE),
    ({"hidden_size": 10**12}, NO_MODEL),
    ({"hidden_size": "16"}, NO_MODEL),
    ({"hidden_act": "__import__"}, NO_MODEL),
    ({"position_embedding_type": "relative_key"}, "= relative_key; only absolute"),
    ({"is_decoder": True}, "is_decoder = True; only False"),
]
CARDS: list[tuple[dict[str, Any], str]] = [
    ({"tag_order": ["O", "B", "I"]}, "reader.json.tag_order.0: must be 'B', got O"),
    ({"threshold": NAN}, "reader.json.threshold: must be less than 1000000, got nan"),
    ({"threshold": "high"}, "reader.json.threshold: must be a valid number.*, got high"),
    (
        {"calibration": {"span": {"temperature": 0, "bias": 0}}},
        "calibration.span.temperature: must be greater than or equal to 0.05, got 0",
    ),
    ({"calibration": {"span": {"temperature": 1}}}, "calibration.span.bias: Field required"),
    ({"calibration": [1]}, r"calibration: must be an object, got \[1\]"),
]
WRITTEN = [
    ("config.json", b"{", "config.json is not valid JSON"),
    ("config.json", b"[]", "config.json is missing or holds no object"),
    ("config.json", b"\xff\x00", "config.json is not valid JSON"),
    ("config.json", b"[" * 100_000, "config.json is not valid JSON"),
    ("adapter_config.json", b"[]", "it is an adapter of another model: merge it first"),
    (
        "adapter_config.json",
        b'{"base_model_name_or_path": "evil/base"}',
        "it is an adapter of evil/base: merge it first",
    ),
    ("reader.json", b"[]", r"reader.json: must be an object, got \[\]"),
    ("tokenizer.json", b"{", NO_MODEL),
    (
        "tokenizer_config.json",
        b'{"auto_map": {"AutoTokenizer": ["evil.Evil", null]}}',
        f"'auto_map', {CODE}",
    ),
    (
        "tokenizer_config.json",
        b'{"tokenizer_class": "Evil"}',
        "the tokenizer names no token for one of cls, sep, pad, mask",
    ),
    ("tokenizer_config.json", POINTER, "tokenizer_config.json is a git-LFS pointer"),
    ("model.safetensors", POINTER, "is a git-LFS pointer, not the file itself; run git lfs pull"),
    ("model.safetensors", b"\0" * 7 + b"\x10{}", NO_MODEL),
]
TENSORS: list[tuple[Callable[[dict[str, torch.Tensor]], Any], str]] = [
    (lambda t: t["qa_outputs.weight"].fill_(NAN), "qa_outputs.weight holds numbers that are not"),
    (lambda t: t.update({"qa_outputs.bias": torch.tensor([INFINITY, 0]).half()}), "not finite"),
    (
        lambda t: t.pop("qa_outputs.bias"),
        r"of a question-answering model are missing \(1, such as qa_outputs.bias\); an encoder",
    ),
    (lambda t: t.update({"qa_outputs.weight": torch.zeros(3, 16)}), NO_MODEL),
    (
        lambda t: [t.pop(k) for k in list(t) if ".layer.1." in k],
        "tensors of a question-answering model are missing",
    ),
]
SUMS = [
    ("config.json", "config.json was changed"),
    ("gone.bin", "gone.bin is missing"),
    ("../../etc/passwd", "is missing, checksums.json lists it"),
]
DAMAGE: list[tuple[Callable[[Path], Any], str]] = [
    (cut(lambda n: 0), NO_MODEL),
    (cut(lambda n: n - 1), NO_MODEL),
    (random_bytes, "not finite"),
    (only_pickle, "model.safetensors is missing .*pickles such as pytorch_model.bin can run code"),
    (remove("model.safetensors"), "model.safetensors is missing"),
    (remove("config.json"), "config.json is missing or"),
    (remove("tokenizer.json"), "the tokenizer is missing"),
    (bigger_vocabulary, "tokenizer and model do not fit: the tokenizer has ids up to"),
    (link_out, "link that leads out"),
    (loop, "config.json cannot be read"),
    (pipe, "not a plain file"),
    (is_directory, "not a plain file"),
    (bio_head(8, 0.0), "bio_head.safetensors holds no head that fits this model"),
    (bio_head(16, NAN), "bio_head.safetensors: weight holds numbers that are not finite"),
]
BROKEN = [
    *((edit_config(**changes), reason) for changes, reason in CONFIGS),
    *((edit("reader.json", **changes), reason) for changes, reason in CARDS),
    *((write(name, data), reason) for name, data, reason in WRITTEN),
    *((edit_tensors(change), reason) for change, reason in TENSORS),
    *((edit("checksums.json", **{name: "0" * 64}), reason) for name, reason in SUMS),
    *DAMAGE,
]


@pytest.mark.parametrize(("damage", "reason"), BROKEN)
def test_a_broken_folder_is_refused_by_name_and_the_reader_in_use_goes_on(
    damage, reason, folder, in_use, monkeypatch
):
    """In our own sentence alone, without the table that transformers prints of the same."""
    printed = io.StringIO()
    terminal = logging.StreamHandler(printed)
    monkeypatch.setattr(logging.getLogger("transformers"), "handlers", [terminal])
    reader, before = in_use
    damage(folder)
    with pytest.raises(BadCheckpoint, match=reason) as caught:
        load_reader(str(folder))
    assert str(folder) not in str(caught.value) and "\n" not in str(caught.value)
    assert "LOAD REPORT" not in printed.getvalue()
    np.testing.assert_array_equal(
        reader.read(kit.QUESTION, kit.CONTEXT[:80], OPTIONS).start_logits, before
    )


class Hub:
    """Stands in for huggingface_hub: what is fetched comes from a folder here, or fails."""

    def __init__(self, patch: pytest.MonkeyPatch, folder: Path) -> None:
        self.snapshot = folder.parent / ("f" * 40)
        folder.rename(self.snapshot)
        self.asked: list[dict[str, Any]] = []
        self.fault: Exception | None = None
        patch.setattr("huggingface_hub.hf_hub_download", self._give("config.json"))
        patch.setattr("huggingface_hub.snapshot_download", self._give(""))

    def _give(self, name: str) -> Callable[..., str]:
        def give(*_: str, **named: Any) -> str:
            self.asked.append(named)
            if self.fault is not None:
                raise self.fault
            return str(self.snapshot / name)

        return give


@pytest.fixture
def host(folder, monkeypatch) -> Hub:
    return Hub(monkeypatch, folder)


def test_neither_pickle_nor_torch_load_is_reached(folder, monkeypatch):
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"evil": 1}))
    (folder / "model.py").write_text("raise SystemExit")
    reached: list[str] = []

    def trap(name: str) -> Callable[..., Any]:
        def fail(*args: Any, **kwargs: Any) -> Any:
            reached.append(name)
            raise AssertionError(f"{name} was reached")

        return fail

    opened: list[str] = []
    really_open = builtins.open
    monkeypatch.setattr(
        builtins,
        "open",
        lambda file, *a, **k: (opened.append(str(file)), really_open(file, *a, **k))[1],
    )
    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, trap(name))
    monkeypatch.setattr(torch, "load", trap("load"))
    monkeypatch.setattr(socket.socket, "connect", trap("connect"))
    assert load_reader(str(folder)).read("who", "the bridge", OPTIONS)
    assert reached == []
    ours = [path for path in opened if path.startswith(str(folder))]
    assert not [path for path in ours if path.endswith((".bin", ".py"))]
    with pytest.raises(AssertionError, match="load was reached"):
        torch.load(folder / "pytorch_model.bin")


def test_the_checksum_manifest_is_verified_and_names_the_reader(folder):
    sums = {path.name: sha256(path) for path in folder.iterdir()}
    (folder / "checksums.json").write_text(json.dumps(sums))
    assert load_reader(str(folder)).checksum == sha256(folder / "checksums.json")
    raw = bytearray(weights(folder).read_bytes())
    raw[-1] ^= 1
    weights(folder).write_bytes(bytes(raw))
    with pytest.raises(BadCheckpoint, match=r"model.safetensors was changed"):
        load_reader(str(folder))


def test_a_snapshot_lacks_only_files_that_are_not_loaded(host, monkeypatch):
    """A published reader's list names card and figures, which the hub is not asked for."""
    folder = host.snapshot
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


def test_the_bundled_folder_needs_its_manifest(folder, monkeypatch):
    monkeypatch.setitem(READERS, "bundled", folder)
    with pytest.raises(BadCheckpoint, match=r"bundled: checksums.json is missing"):
        load_reader("bundled")


def test_a_head_of_three_outputs_is_refused(tmp_path):
    with pytest.raises(BadCheckpoint, match=NO_MODEL):
        load_reader(str(kit.save(tmp_path / "three", "bert", num_labels=3)))


def test_the_kernels_package_stops_loading(folder, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    with pytest.raises(ModelUnavailable, match="'kernels' is installed"):
        load_reader(str(folder))


def test_harmless_keys_are_ignored(folder):
    edit_config(
        _attn_implementation="sdpa",
        attn_implementation="eager",
        _attn_implementation_autoset=True,
        _name_or_path="/etc/passwd",
        torch_dtype="float16",
        architectures=["Evil"],
        unknown={"a": 1},
    )(folder)
    model = load_reader(str(folder)).model
    assert model.config._attn_implementation == "sdpa" and model.dtype == torch.float32


SECRET_PATHS = "../../etc/passwd /etc /etc/passwd ~ ~root C:\\windows con /nonexistent x/../y"
NO_SOURCES = "file:///etc/passwd https://example.org/x owner/name@ owner//name a/b@../../c"
UNREADABLE = ["a" * 5000, "a\0b", "", "  "]


@pytest.mark.parametrize("text", [*SECRET_PATHS.split(), *NO_SOURCES.split(), *UNREADABLE, "a/b"])
def test_a_host_for_others_is_no_oracle_for_files(text, monkeypatch):
    monkeypatch.setattr("os.path.isdir", lambda _: pytest.fail("the disk was asked"))
    with pytest.raises(ModelUnavailable, match="offers its own readers only") as caught:
        parse_source(text, OTHERS)
    assert "passwd" not in str(caught.value)


def test_sources_are_parsed(tmp_path):
    assert parse_source("bundled", OTHERS) == Source("bundled", READERS["bundled"])
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
        ("RepositoryNotFoundError", "does not exist on Hugging Face, is private"),
        ("GatedRepoError", "or asks its users to accept terms"),
        ("RevisionNotFoundError", "could not be fetched .*RevisionNotFoundError"),
        ("EntryNotFoundError", "has no config.json"),
        ("LocalEntryNotFoundError", "cannot be reached from here.*bundled reader works offline"),
        ("HfHubHTTPError", "could not be fetched"),
    ],
)
def test_the_hubs_refusals_are_one_sentence(error, words, host):
    kind = getattr(huggingface_hub.errors, error)
    host.fault = kind.__new__(kind)
    with pytest.raises(ModelUnavailable, match=f"owner/name: it .*{words}") as caught:
        load_reader("owner/name")
    assert "http" not in str(caught.value)


def test_a_hub_reader_is_fetched_checked_and_named_with_its_commit(host):
    reader = load_reader("owner/name@main")
    assert (reader.name, reader.checksum) == ("owner/name@ffffffff", "f" * 40)
    assert [asked["revision"] for asked in host.asked] == ["main", "f" * 40]
    assert not any(p.endswith((".bin", ".py")) for p in host.asked[1]["allow_patterns"])


def test_a_bad_config_stops_before_the_weights(host):
    edit_config(auto_map={"a": "b"})(host.snapshot)
    with pytest.raises(BadCheckpoint, match=r"owner/name: .*auto_map"):
        load_reader("owner/name")
    assert len(host.asked) == 1


def test_no_internet_is_one_sentence(tmp_path, monkeypatch):
    """Real requests, to a port of this machine on which nobody listens, without the pauses."""
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", nobody)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
        with pytest.raises(ModelUnavailable, match=r"cannot be reached.*works offline"):
            load_reader("owner/name")
