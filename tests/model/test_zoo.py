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
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub.errors
import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from qa_demo.core.base import BadCheckpoint, BadInput, ModelUnavailable
from qa_demo.core.types import WindowOptions
from qa_demo.model import hub, loading
from qa_demo.model.blueprint import blueprint
from qa_demo.model.checks import sha256
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.model.source import PUBLIC, HostLimits, bundled_folder, parse_source
from tests.model import kit

OPTIONS = WindowOptions(max_seq_length=40, doc_stride=7)


@pytest.fixture
def folder(tmp_path: Path, saved: Callable[[str], Path]) -> Path:
    return shutil.copytree(saved("bert"), tmp_path / "reader")


@pytest.fixture(scope="module")
def in_use(loaded: Callable[[str], BertReader]) -> tuple[BertReader, np.ndarray]:
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


def header(entries: dict[str, Any], data: bytes = b"") -> bytes:
    text = json.dumps(entries).encode()
    return struct.pack("<Q", len(text)) + text + data


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


def index_of(name: str) -> Callable[[Path], None]:
    """No weights but an index, which says that this file holds a tensor."""

    def damage(folder: Path) -> None:
        weights(folder).unlink()
        said = json.dumps({"weight_map": {"a": name}})
        (folder / "model.safetensors.index.json").write_text(said)

    return damage


def bio_head(width: int, value: float) -> Callable[[Path], None]:
    tensors = {"weight": torch.full((3, width), value), "bias": torch.zeros(3)}
    return lambda folder: save_file(tensors, folder / "bio_head.safetensors")


def three_labels(tensors: dict[str, torch.Tensor]) -> None:
    tensors |= {"qa_outputs.weight": torch.zeros(3, 16), "qa_outputs.bias": torch.zeros(3)}


NAN, INFINITY = float("nan"), float("inf")
SMALL = {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}
CONFIGS: list[tuple[dict[str, Any], str]] = [
    ({"id2label": {"0": "a", "1": "b", "2": "c"}}, "other than two outputs.*: id2label names 3"),
    ({"intermediate_size": 64}, r"has the shape \[.*config.json asks for"),
    ({"num_hidden_layers": 3}, "tensors that config.json asks for are missing"),
    ({"model_type": None}, "model_type 'None'"),
    ({"model_type": "gpt2"}, "model_type 'gpt2'.*bert, distilbert"),
    ({"model_type": {"a": 1}}, "model_type"),
    ({"auto_map": {"AutoModel": "evil--model.Evil"}}, "'auto_map', which chooses code"),
    ({"custom_pipelines": {"qa": {}}}, "'custom_pipelines', which chooses code"),
    ({"quantization_config": {"a": "evil"}}, "'quantization_config', which chooses code"),
    ({"transformers_weights": "../evil.bin"}, "'transformers_weights', which chooses code"),
    ({"_attn_implementation": "evil/a"}, "'_attn_implementation', which chooses attention code"),
    ({"_attn_implementation_internal": "evil/a"}, "chooses attention code"),
    ({"attn_implementation": {"": "evil/a"}}, "chooses attention code"),
    (
        {"num_hidden_layers": 100_000},
        "num_hidden_layers = 100000; allowed are whole numbers from 1 to 100",
    ),
    ({"hidden_size": 10**12}, "hidden_size = 1000000000000; allowed"),
    ({"hidden_size": "16"}, "hidden_size = 16; allowed are whole numbers"),
    ({"vocab_size": -1}, "vocab_size = -1"),
    ({"num_attention_heads": 3}, "no model that can be built"),
    ({"hidden_act": "__import__"}, "hidden_act = '__import__'; allowed are gelu"),
    ({"layer_norm_eps": INFINITY}, "layer_norm_eps = inf"),
    (
        {"position_embedding_type": "relative_key"},
        "position_embedding_type = relative_key; only absolute",
    ),
    ({"is_decoder": True}, "is_decoder = True; only False"),
]
CALIBRATIONS = "calibration must be an object with span, bio and answerable, or some of them"
READERS: list[tuple[dict[str, Any], str]] = [
    ({"tag_order": ["O", "B", "I"]}, "tag_order must be"),
    ({"threshold": NAN}, "threshold must be a finite number"),
    (
        {"calibration": {"span": {"temperature": 0, "bias": 0}}},
        "the calibration of span must have a temperature from 0.05 to 20 and a bias from -20 to 20",
    ),
    ({"calibration": {"bio": {"temperature": 1}}}, "the calibration of bio must have"),
    ({"calibration": {"x": {"temperature": 1, "bias": 0}}}, CALIBRATIONS),
    ({"calibration": [1]}, CALIBRATIONS),
]
WRITTEN = [
    ("config.json", b"{", "config.json is not valid JSON"),
    ("config.json", b"[]", "must hold an object, got list"),
    ("config.json", b"\xff\x00", "config.json is not valid JSON"),
    ("config.json", b" " * 2**21, "config.json has 2,097,152 bytes"),
    ("config.json", b"[" * 100_000, "config.json is not valid JSON"),
    ("reader.json", b"[]", "reader.json must hold an object"),
    ("tokenizer.json", b"{", "no model that can be built|not valid JSON"),
    ("tokenizer.json", b'{"version": "1.0"}', "no model that can be built"),
    (
        "tokenizer_config.json",
        b'{"auto_map": {"AutoTokenizer": ["evil.Evil", null]}}',
        "'auto_map', which chooses code",
    ),
    ("tokenizer_config.json", b'{"tokenizer_class": "Evil"}', "tokenizer_class 'Evil'"),
    ("tokenizer_config.json", POINTER, "tokenizer_config.json is a git-LFS pointer"),
    (
        "model.safetensors",
        POINTER,
        "model.safetensors is a git-LFS pointer, not the file itself; run git lfs pull",
    ),
]
CONTAINERS = [
    (struct.pack("<Q", 2**60) + b"{}", "cannot hold the header it announces"),
    (struct.pack("<Q", 4) + b"\xff\xfe{}", "header is not valid JSON"),
    (struct.pack("<Q", 200_000) + b"[" * 200_000, "header is not valid JSON"),
    (header({f"t{k}": {} for k in range(100_000)}), "at most 20,000 tensors"),
    (
        header({"a": SMALL | {"dtype": "F32", "shape": [2**40]}}, b"1234"),
        "header entry of 'a' does not describe its bytes",
    ),
    (header({"a": SMALL, "b": SMALL}, b"1234"), "overlap or leave gaps"),
    (header({"a": SMALL | {"dtype": "OBJ", "shape": [1]}}, b"1234"), "does not describe its bytes"),
]
"""What stands in model.safetensors in the place of weights."""
TENSORS: list[tuple[Callable[[dict[str, torch.Tensor]], Any], str]] = [
    (
        lambda t: t["qa_outputs.weight"].fill_(NAN),
        "qa_outputs.weight holds numbers that are not finite",
    ),
    (lambda t: t.update({"qa_outputs.bias": torch.tensor([INFINITY, 0]).half()}), "not finite"),
    (
        lambda t: [t.pop("qa_outputs.weight"), t.pop("qa_outputs.bias")],
        "no question-answering head",
    ),
    (
        lambda t: t.pop("qa_outputs.bias"),
        r"no question-answering head \(qa_outputs.bias is missing\)",
    ),
    (three_labels, r"shape \[3"),
    (
        lambda t: [t.pop(k) for k in list(t) if ".layer.1." in k],
        "tensors that config.json asks for are missing",
    ),
]
SUMS = [
    ("config.json", "config.json was changed"),
    ("gone.bin", "gone.bin is missing"),
    ("../../etc/passwd", "is missing, checksums.json lists it"),
]
OTHERS: list[tuple[Callable[[Path], Any], str]] = [
    (cut(lambda n: 0), "model.safetensors is broken or cut off"),
    (cut(lambda n: 8), "model.safetensors is broken or cut off"),
    (cut(lambda n: n // 2), "broken or cut off: it has"),
    (cut(lambda n: n - 1), "broken or cut off: it has"),
    (random_bytes, "not finite"),
    (only_pickle, "pytorch_model.bin, a format that can run code"),
    (remove("model.safetensors"), "model.safetensors is missing"),
    (index_of("model-1.safetensors"), "model-1.safetensors is missing"),
    (index_of("../../x.safetensors"), "names no safetensors files of this folder"),
    (remove("config.json"), "config.json is missing"),
    (remove("tokenizer.json"), "the tokenizer is missing"),
    (bigger_vocabulary, "tokenizer and model do not fit: the tokenizer has ids up to"),
    (link_out, "link that leads out"),
    (loop, "config.json cannot be read|config.json is missing"),
    (pipe, "not a plain file"),
    (is_directory, "not a plain file"),
    (bio_head(8, 0.0), "bio_head.safetensors: weight must have the shape"),
    (bio_head(16, NAN), "bio_head.safetensors: weight holds numbers that are not finite"),
]
BROKEN = [
    *((edit_config(**changes), reason) for changes, reason in CONFIGS),
    *((edit("reader.json", **changes), reason) for changes, reason in READERS),
    *((write(name, data), reason) for name, data, reason in WRITTEN),
    *((write("model.safetensors", data), reason) for data, reason in CONTAINERS),
    *((edit_tensors(change), reason) for change, reason in TENSORS),
    *((edit("checksums.json", **{name: "0" * 64}), reason) for name, reason in SUMS),
    *OTHERS,
]


@pytest.mark.parametrize(("damage", "reason"), BROKEN)
def test_a_broken_folder_is_refused_by_name_and_the_reader_in_use_goes_on(
    damage: Callable[[Path], Any],
    reason: str,
    folder: Path,
    in_use: tuple[BertReader, np.ndarray],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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


REACHABLE = hub.reachable


class Hub:
    """Stands in for huggingface_hub; `asked` holds the keywords of the last call."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch, self.asked = monkeypatch, dict[str, Any]()
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        monkeypatch.setattr(hub, "reachable", lambda: True)

    def gives(self, name: str, outcome: Any) -> None:
        """What a function of the library returns or raises, or how it is found."""

        def give(*given: Any, **named: Any) -> Any:
            self.asked = named
            if isinstance(outcome, Exception):
                raise outcome
            return outcome(*given) if callable(outcome) else outcome

        self._patch.setattr(f"huggingface_hub.{name}", give)

    def lists(self, sizes: dict[str, int]) -> None:
        """The files of its repository, with their bytes."""
        files = [SimpleNamespace(rfilename=name, size=size) for name, size in sizes.items()]
        self.gives("HfApi.model_info", SimpleNamespace(sha="f" * 40, siblings=files))

    def holds(self, folder: Path) -> None:
        """What is fetched comes from a folder here."""
        self.gives("hf_hub_download", lambda _, name: str(folder / name))
        self.gives("snapshot_download", str(folder))


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Hub:
    return Hub(monkeypatch)


def hub_error(name: str) -> Exception:
    kind = getattr(huggingface_hub.errors, name)
    return kind.__new__(kind)


def test_an_unreadable_file_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulated, because the tests may run as root, whom permissions do not stop."""

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(BadCheckpoint, match=r"config.json cannot be read"):
        load_reader(str(folder))


def test_neither_pickle_nor_torch_load_is_reached(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"evil": 1}))
    (folder / "model.py").write_text("raise SystemExit")
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "evil/base"}')
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
    assert not [path for path in opened if path.endswith((".bin", ".py", "adapter_config.json"))]
    with pytest.raises(AssertionError, match="load was reached"):
        torch.load(folder / "pytorch_model.bin")


def test_the_checksum_manifest_is_verified_and_names_the_reader(folder: Path) -> None:
    sums = {path.name: sha256(path) for path in folder.iterdir()}
    (folder / "checksums.json").write_text(json.dumps(sums))
    assert load_reader(str(folder)).checksum == sha256(folder / "checksums.json")
    raw = bytearray(weights(folder).read_bytes())
    raw[-1] ^= 1
    weights(folder).write_bytes(bytes(raw))
    with pytest.raises(BadCheckpoint, match=r"model.safetensors was changed"):
        load_reader(str(folder))


def test_a_snapshot_lacks_only_files_that_are_not_loaded(
    folder: Path, host: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A published reader's list names card and figures, which the hub is not asked for."""
    gone = dict.fromkeys(("README.md", "metrics.json", "ablation/a.json"), "0" * 64)
    sums = {path.name: sha256(path) for path in folder.iterdir()} | gone
    (folder / "checksums.json").write_text(json.dumps(sums))
    host.lists({"model.safetensors": 10, "config.json": 1})
    host.holds(folder)
    assert load_reader("owner/name").checksum == sha256(folder / "checksums.json")
    monkeypatch.setattr(loading, "bundled_folder", lambda: folder)
    with pytest.raises(BadCheckpoint, match=r"README.md is missing, checksums.json lists it"):
        load_reader("bundled")
    (folder / "bio_head.safetensors").unlink()
    said = r"bio_head.safetensors is missing, checksums.json lists it"
    with pytest.raises(BadCheckpoint, match=said):
        load_reader("owner/name")


def test_the_bundled_folder_needs_its_manifest(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "bundled_folder", lambda: folder)
    with pytest.raises(BadCheckpoint, match=r"bundled: checksums.json is missing"):
        load_reader("bundled")


@pytest.mark.parametrize("family", kit.FAMILIES)
def test_parameters_are_counted_before_anything_is_allocated(
    family: str, saved: Callable[[str], Path], loaded: Callable[[str], BertReader]
) -> None:
    count = sum(parameter.numel() for parameter in loaded(family)._model.parameters())
    assert blueprint(saved(family)).parameters == count
    said = f"has {count:,} parameters, this host allows {count - 1:,}"
    with pytest.raises(BadCheckpoint, match=said):
        load_reader(str(saved(family)), HostLimits(max_parameters=count - 1))


def test_an_enormous_model_is_refused_from_its_config_alone(folder: Path) -> None:
    edit_config(
        hidden_size=16_384, num_hidden_layers=40, num_attention_heads=64, intermediate_size=65_536
    )(folder)
    said = r"has 128,\d{3},\d{3},\d{3} parameters, this host allows 150,000,000"
    with pytest.raises(BadCheckpoint, match=said):
        blueprint(folder, PUBLIC)


def test_nothing_is_allocated_for_a_file_that_cannot_hold_the_model(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit_tensors(lambda t: [t.pop(name) for name in list(t) if "qa_outputs" not in name])(folder)
    edit_config(num_hidden_layers=40)(folder)
    monkeypatch.setattr(
        "transformers.PreTrainedModel.from_pretrained",
        lambda *a, **k: pytest.fail("the model was allocated"),
    )
    said = r"its tensors hold 34 numbers, config.json describes 9\d,\d{3} parameters"
    with pytest.raises(BadCheckpoint, match=said):
        load_reader(str(folder))


def test_too_few_positions(tmp_path: Path) -> None:
    with pytest.raises(BadCheckpoint, match="knows 16 positions, fewer than the 32"):
        load_reader(str(kit.save(tmp_path, "bert", max_position_embeddings=16)))


def test_the_kernels_package_stops_loading(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    with pytest.raises(ModelUnavailable, match="'kernels' is installed"):
        load_reader(str(folder))


def test_a_load_that_hangs_meets_its_deadline(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    monkeypatch.setattr(loading, "_build", lambda *a: release.wait(30))
    with pytest.raises(ModelUnavailable, match=r"did not load within 0.2 seconds"):
        load_reader(str(folder), HostLimits(seconds=0.2))
    release.set()


def test_harmless_keys_are_ignored(folder: Path) -> None:
    edit_config(
        _attn_implementation="sdpa",
        _name_or_path="/etc/passwd",
        torch_dtype="float16",
        architectures=["Evil"],
        unknown={"a": 1},
    )(folder)
    assert load_reader(str(folder))._model.config._attn_implementation == "sdpa"


SECRET_PATHS = "../../etc/passwd /etc /etc/passwd ~ ~root C:\\windows con /nonexistent x/../y"
NO_SOURCES = "file:///etc/passwd https://example.org/x owner/name@ owner//name a/b@../../c"
UNREADABLE = ["a" * 5000, "a\0b", "", "  "]


@pytest.mark.parametrize("text", [*SECRET_PATHS.split(), *NO_SOURCES.split(), *UNREADABLE])
def test_a_public_host_is_no_oracle_for_files(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_dir", lambda self: pytest.fail("the disk was asked"))
    with pytest.raises(BadInput) as caught:
        parse_source(text, PUBLIC)
    assert "passwd" not in str(caught.value) and "allowed are 'bundled'" in str(caught.value)


def test_sources_are_parsed(tmp_path: Path) -> None:
    assert parse_source("bundled").kind == "bundled"
    assert parse_source(str(tmp_path)).path == tmp_path
    found = parse_source("deepset/tiny-roberta@a1b2c3", PUBLIC)
    assert (found.kind, found.repo, found.revision) == ("hub", "deepset/tiny-roberta", "a1b2c3")
    assert parse_source("o/n@refs/pr/1").revision == "refs/pr/1"
    with pytest.raises(ModelUnavailable, match="fixed list of readers: bundled, a/b"):
        parse_source("c/d", HostLimits(allowed=("bundled", "a/b")))
    assert bundled_folder().parts[-2:] == ("assets", "reader")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("RepositoryNotFoundError", "does not exist on Hugging Face, or is private"),
        ("GatedRepoError", "accept terms first"),
        ("RevisionNotFoundError", "no such revision"),
        ("HfHubHTTPError", "could not be fetched"),
    ],
)
def test_the_hubs_refusals_are_one_sentence(error: str, words: str, host: Hub) -> None:
    host.gives("HfApi.model_info", hub_error(error))
    with pytest.raises(ModelUnavailable, match=words) as caught:
        load_reader("owner/name")
    assert "http" not in str(caught.value)


WEIGHTS = {"model.safetensors": 10}


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"pytorch_model.bin": 10}, "has no model.safetensors"),
        ({"model.safetensors": 10**11}, "100,000,000,000 bytes of weights"),
        (WEIGHTS | {"bio_head.safetensors": 10**11}, "100,000,000,010 bytes of weights"),
        (WEIGHTS | {"tokenizer.json": 10**11}, "tokenizer.json has 100,000,000,000 bytes"),
        (WEIGHTS | {"vocab.txt": 10**8}, "vocab.txt has 100,000,000 bytes"),
    ],
)
def test_a_hub_listing_is_checked_before_a_byte_is_fetched(
    sizes: dict[str, int], words: str, host: Hub
) -> None:
    host.lists(sizes)
    host.gives("hf_hub_download", lambda *_: pytest.fail("a file was fetched"))
    with pytest.raises(BadCheckpoint, match=words):
        load_reader("owner/name", PUBLIC)


def test_a_hub_reader_is_fetched_checked_and_named_with_its_commit(folder: Path, host: Hub) -> None:
    host.lists(WEIGHTS | {"config.json": 1})
    host.holds(folder)
    reader = load_reader("owner/name@main", PUBLIC)
    assert (reader.name, reader.checksum) == ("owner/name@ffffffff", "f" * 40)
    assert (host.asked["revision"], host.asked["token"]) == ("f" * 40, False)
    assert not any(p.endswith((".bin", ".py")) for p in host.asked["allow_patterns"])


def test_a_bad_config_stops_before_the_weights(folder: Path, host: Hub) -> None:
    edit_config(auto_map={"a": "b"})(folder)
    host.lists(WEIGHTS)
    host.holds(folder)
    host.gives("snapshot_download", lambda *_: pytest.fail("the weights were fetched"))
    with pytest.raises(BadCheckpoint, match="auto_map"):
        load_reader("owner/name")


def test_offline_is_said_at_once(host: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "reachable", lambda: pytest.fail("the network was asked"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    host.gives("snapshot_download", hub_error("LocalEntryNotFoundError"))
    with pytest.raises(ModelUnavailable, match=r"HF_HUB_OFFLINE is set.*the bundled reader works"):
        load_reader("owner/name")


def test_no_internet_is_one_sentence(host: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real request, to a port of this machine on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", nobody)
        monkeypatch.setattr(hub, "reachable", REACHABLE)
        assert hub.reachable() is False
        host.gives("snapshot_download", hub_error("LocalEntryNotFoundError"))
        said = r"cannot be reached from here.*the bundled reader works offline"
        with pytest.raises(ModelUnavailable, match=said):
            load_reader("owner/name")
