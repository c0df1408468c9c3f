"""load_reader: a name in, a checked reader out. First the name is parsed, then files are fetched,
checked, and only then built.
"""

import hashlib
import importlib.util
import logging
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from qa_demo.core.errors import BadCheckpoint, ModelUnavailable, QADemoError
from qa_demo.core.options import WindowOptions
from qa_demo.model import hub
from qa_demo.model.checks import (
    Tensor,
    check_manifest,
    read_header,
    read_json,
    regular,
    sha256,
    weight_files,
)
from qa_demo.model.config import build_config, clean_config
from qa_demo.model.deadline import TookTooLong, within
from qa_demo.model.source import LOOPBACK, HostLimits, Source, bundled_folder, parse_source
from qa_demo.model.whole import transformers
from qa_demo.model.workers import SHARED, Workers

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader

log = logging.getLogger(__name__)
Model = TypeVar("Model")
MIN_POSITIONS = 32
_TOKENIZERS = {
    f"{name}{fast}"
    for fast in ("", "Fast")
    for name in (
        "BertTokenizer",
        "DistilBertTokenizer",
        "RobertaTokenizer",
        "XLMRobertaTokenizer",
        "CamembertTokenizer",
        "ElectraTokenizer",
        "AlbertTokenizer",
        "MPNetTokenizer",
        "DebertaTokenizer",
        "DebertaV2Tokenizer",
        "PreTrainedTokenizer",
    )
} | {"TokenizersBackend"}
_TOKENIZER_FILES = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "spm.model",
    "spiece.model",
    "sentencepiece.bpe.model",
)
_building = threading.Lock()


@dataclass(frozen=True)
class Blueprint:
    """What config.json describes: the configuration, its class, and each parameter's shape, with
    no memory taken.
    """

    config: Any
    model_class: Any
    shapes: dict[str, tuple[int, ...]]
    head: tuple[str, ...]
    parameters: int


def load_reader(
    source: str = "bundled",
    limits: HostLimits = LOOPBACK,
    *,
    workers: Workers = SHARED,
    bf16: bool = False,
) -> "BertReader":
    """A `Reader` for `bundled`, a local folder, or a hub id `owner/name[@revision]`.

    `workers` is the gate that its forward passes share; `bf16` trades digits for speed and is for
    evaluation only.

    Errors: BadInput for a name that is none of these, ModelUnavailable for what cannot be reached
    or is not allowed here, BadCheckpoint for what was found and must not be used. Nothing that is
    already loaded changes.
    """

    def build(folder: Path, plan: Blueprint, name: str, checksum: str) -> "BertReader":
        return _build(folder, plan, name, checksum, workers, bf16)

    return open_source(source, limits, "QuestionAnswering", bundled_folder, build)


def open_source(
    source: str,
    limits: HostLimits,
    head: str,
    bundled: Callable[[], Path],
    build: Callable[[Path, Blueprint, str, str], Model],
) -> Model:
    """The path of every model from its name: find or fetch the folder, check it, lay out the class
    with `head`, build(folder, plan, name, checksum or commit). Every error on the way becomes one
    sentence that names the source.
    """
    parsed = parse_source(source, limits)
    try:
        return within(limits.seconds, lambda: _open(parsed, limits, head, bundled, build))
    except TookTooLong as late:
        raise ModelUnavailable(
            f"{parsed.name} did not load within {limits.seconds:g} seconds; "
            "try again, or use the bundled reader"
        ) from late


def _open(
    source: Source,
    limits: HostLimits,
    head: str,
    bundled: Callable[[], Path],
    build: Callable[[Path, Blueprint, str, str], Model],
) -> Model:
    if importlib.util.find_spec("kernels") is not None:
        raise ModelUnavailable(
            "the package 'kernels' is installed, with which a model folder can fetch code; "
            "uninstall it to load readers"
        )
    if source.kind == "hub":
        folder, commit = hub.fetch(source, limits, lambda found: blueprint(found, limits, head))
        name = f"{source.repo}@{commit[:8]}"
    else:
        folder, commit = (source.path or bundled()), ""
        name = source.name
    try:
        loaded = hub.FILES if source.kind == "hub" else ("*",)
        checksum = check_manifest(folder, required=source.kind == "bundled", loaded=loaded)
        return build(folder, blueprint(folder, limits, head), name, checksum or commit)
    except QADemoError as fault:
        raise type(fault)(f"{source.name}: {fault}") from fault
    except Exception as fault:
        # transformers, tokenizers and safetensors raise errors of any class; their texts can quote
        # paths, so they go to the log.
        log.warning("building %r failed", source.name, exc_info=fault)
        raise BadCheckpoint(
            f"{source.name}: the files fit together for no model that can be built "
            f"({type(fault).__name__})"
        ) from fault


def blueprint(
    folder: Path, limits: HostLimits = LOOPBACK, head: str = "QuestionAnswering"
) -> Blueprint:
    """Read config.json and lay the model out on torch's meta device: names and shapes, not one
    weight allocated.
    """
    import torch

    raw = read_json(folder, "config.json", limit=2**20)
    if raw is None:
        raise BadCheckpoint("config.json is missing, so this is not a transformers model")
    clean = clean_config(raw)
    answers = head == "QuestionAnswering"
    if answers and not _has_two_outputs(raw):
        raise BadCheckpoint(
            "config.json describes a head with other than two outputs (start and end), so it is "
            "no span reader"
        )
    try:
        config, model_class = build_config(clean, head)
        with torch.device("meta"):
            skeleton = model_class(config)
    except Exception as fault:
        log.warning("no skeleton", exc_info=fault)
        raise BadCheckpoint(
            f"config.json describes no model that can be built ({type(fault).__name__})"
        ) from fault
    shapes = {name: tuple(tensor.shape) for name, tensor in skeleton.state_dict().items()}
    parameters = sum(parameter.numel() for parameter in skeleton.parameters())
    if limits.max_parameters is not None and parameters > limits.max_parameters:
        raise BadCheckpoint(
            f"the model has {parameters:,} parameters, this host allows {limits.max_parameters:,}"
        )
    # Only of a reader's head are all tensors stored: the decoder of a masked-language head is tied
    # to the embeddings.
    required = tuple(
        name for name in shapes if answers and not name.startswith(f"{skeleton.base_model_prefix}.")
    )
    return Blueprint(config, model_class, shapes, required, parameters)


def _has_two_outputs(config: dict[str, Any]) -> bool:
    labels = config.get("id2label")
    named = len(labels) if isinstance(labels, dict) else 2
    return named == config.get("num_labels", 2) == 2


def _check_shapes(plan: Blueprint, found: dict[str, Tensor]) -> None:
    for name in plan.head:
        if name not in found:
            raise BadCheckpoint(
                f"it has no question-answering head ({name} is missing): it is an encoder that "
                f"was never trained to answer"
            )
    for name, tensor in found.items():
        # Old checkpoints, converted from TensorFlow, call LayerNorm's two vectors gamma and beta;
        # transformers renames them too.
        modern = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        if modern in plan.shapes and plan.shapes[modern] != tensor.shape:
            raise BadCheckpoint(
                f"{name[:80]} has the shape {list(tensor.shape)}, config.json asks for "
                f"{list(plan.shapes[modern])}"
            )


def _tensors(files: list[Path]) -> dict[str, Any]:
    import torch
    from safetensors.torch import load_file

    tensors: dict[str, Any] = {}
    for path in files:
        tensors.update(load_file(path))
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            raise BadCheckpoint(f"{name[:80]} holds numbers that are not finite (NaN or infinity)")
    return tensors


def weights(plan: Blueprint, files: list[Path], lost: str = "") -> Any:
    """The model from tensors we read ourselves: transformers never sees the folder, so nothing else
    in it can matter.

    `lost` is said before the list of missing tensors.
    """
    import torch

    found = {key: tensor for path in files for key, tensor in read_header(path).items()}
    _check_shapes(plan, found)
    # from_pretrained allocates all that the config describes before it says what is missing. Half
    # is enough to ask here: tied weights
    # are stored once, and a file that holds half cannot make us take more than a few times its own
    # size.
    held = sum(math.prod(tensor.shape) for tensor in found.values())
    if 2 * held < plan.parameters:
        raise BadCheckpoint(
            f"{lost}its tensors hold {held:,} numbers, config.json describes {plan.parameters:,} "
            f"parameters"
        )
    transformers().logging.disable_progress_bar()
    with _building:
        model, info = plan.model_class.from_pretrained(
            None,
            config=plan.config,
            state_dict=_tensors(files),
            dtype=torch.float32,
            trust_remote_code=False,
            use_safetensors=True,
            local_files_only=True,
            output_loading_info=True,
        )
    missing = sorted(info["missing_keys"]) + sorted(str(name) for name in info["mismatched_keys"])
    if missing:
        raise BadCheckpoint(
            f"{lost}{len(missing)} tensors that config.json asks for are missing, the first is "
            f"{missing[0][:80]}"
        )
    return model


def load_tokenizer(folder: Path, config: Any) -> Any:
    """The folder's tokenizer, of a class on the list and no larger than the model's vocabulary."""
    settings = read_json(folder, "tokenizer_config.json") or {}
    if not isinstance(settings, dict) or settings.get("auto_map"):
        raise BadCheckpoint(
            "tokenizer_config.json has the key 'auto_map', which chooses code; such readers are "
            "not loaded"
        )
    kind = settings.get("tokenizer_class")
    if kind is not None and kind not in _TOKENIZERS:
        raise BadCheckpoint(
            f"tokenizer_config.json has tokenizer_class {str(kind)[:40]!r}, which none of the "
            f"supported families uses"
        )
    for name in ("special_tokens_map.json", "added_tokens.json"):
        read_json(folder, name)
    files = [regular(folder, name) for name in _TOKENIZER_FILES]
    if not any(files):
        raise BadCheckpoint("the tokenizer is missing (tokenizer.json)")
    tokenizer = transformers().AutoTokenizer.from_pretrained(
        folder, config=config, trust_remote_code=False, local_files_only=True
    )
    largest = max(tokenizer.get_vocab().values(), default=-1)
    if largest >= config.vocab_size:
        raise BadCheckpoint(
            f"tokenizer and model do not fit: the tokenizer has ids up to {largest}, "
            f"the model knows {config.vocab_size} word pieces"
        )
    return tokenizer


def digest(folder: Path, files: list[Path]) -> str:
    """One digest of config, tokenizer and weights, for folders that come without checksums.json."""
    parts = [
        folder / "config.json",
        *(path for name in _TOKENIZER_FILES if (path := regular(folder, name)) is not None),
        *files,
    ]
    return hashlib.sha256("".join(sha256(path) for path in parts).encode()).hexdigest()


def _build(
    folder: Path, plan: Blueprint, name: str, checksum: str, workers: Workers, bf16: bool
) -> "BertReader":
    from qa_demo.model.heads import load_bio, read_card
    from qa_demo.model.reader import BertReader

    files = weight_files(folder)
    tokenizer, bio = load_tokenizer(folder, plan.config), load_bio(folder, plan.config.hidden_size)
    card = read_card(folder)
    reader = BertReader(
        name,
        weights(plan, files),
        tokenizer,
        bio=bio,
        threshold=card.threshold,
        calibrations=card.calibrations,
        checksum=checksum or digest(folder, files),
        workers=workers,
        bf16=bf16,
    )
    if reader.max_seq_length < MIN_POSITIONS:
        raise BadCheckpoint(
            f"it knows {reader.max_seq_length} positions, fewer than the {MIN_POSITIONS} that "
            f"question and paragraph take"
        )
    # One short reading shows what the files do not: a template without [CLS], logits that overflow.
    length = min(WindowOptions().max_seq_length, reader.max_seq_length)
    reader.read("why", "because", WindowOptions(max_seq_length=length, doc_stride=1))
    return reader
