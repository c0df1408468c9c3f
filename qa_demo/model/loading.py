"""load_reader: a name in, a checked reader out. Training apart, the only module that imports
transformers, at its top: that library replaces itself at the end of its import, and a second thread
that imports it elsewhere meanwhile is given a half of it.

What its folder may hold is looked at before (`source`); what the library lets through is refused
here: a head or layers that are missing, numbers that are not finite.
"""

import importlib.util
import logging
import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch
import transformers
from safetensors import SafetensorError
from safetensors.torch import load_file

from qa_demo.core.base import BadCheckpoint, ModelUnavailable, QADemoError
from qa_demo.core.store import READERS
from qa_demo.core.types import TAGS, WindowOptions
from qa_demo.model import source as sources
from qa_demo.model.card import ADAPTER_FILE, BIO_FILE, base_of, merged, read_card
from qa_demo.model.reader import BertReader
from qa_demo.model.source import FETCHED, TOKENIZER_FILES

log = logging.getLogger(__name__)
Model = TypeVar("Model")
HEADS = {
    "question-answering": transformers.AutoModelForQuestionAnswering,
    "masked-language": transformers.AutoModelForMaskedLM,
}
LOCAL: dict[str, Any] = {"trust_remote_code": False, "local_files_only": True}
WEIGHTS = LOCAL | {"dtype": torch.float32, "use_safetensors": True, "output_loading_info": True}
_one_at_a_time = threading.Lock()  # while it builds, torch's default type is changed for all


def load_reader(
    source: str | Path = "bundled", *, anywhere: bool = True, base: str | Path | None = None
) -> BertReader:
    """A reader for `bundled`, `large`, and from `anywhere` a local folder or a hub id
    `owner/name[@revision]`; `base`: the folder of the encoder that an adapter changes.

    Errors: BadInput for a name that is none of these, ModelUnavailable for what cannot be reached
    or is not allowed here, BadCheckpoint for what was found and must not be used. Nothing that is
    already loaded changes.
    """

    def build(folder: Path, name: str, checksum: str) -> BertReader:
        card, adapter = read_card(folder), sources.regular(folder, ADAPTER_FILE)
        home = folder if adapter is None else base_of(card, anywhere, base)
        model, tokenizer = pretrained(home, "question-answering", adapter)
        bio, width = sources.regular(folder, BIO_FILE), model.config.hidden_size
        about: dict[str, Any] = {"threshold": card.threshold, "calibrations": card.calibration}
        about["checksum"] = checksum or sources.digest(home, *filter(None, (adapter, bio)))
        head = None if bio is None else weighted(torch.nn.Linear(width, len(TAGS)), bio)
        reader = BertReader(name, model, tokenizer, bio=head, **about)
        # One short reading shows what the files do not: no [CLS], logits that overflow.
        length = min(WindowOptions().max_seq_length, reader.max_seq_length)
        reader.read("why", "because", WindowOptions(max_seq_length=length, doc_stride=1))
        return reader

    return opened(source, anywhere, READERS, build)


def opened(
    source: str | Path, anywhere: bool, own: Mapping[str, Path], build: Callable[..., Model]
) -> Model:
    """The way of every model from its name: find or fetch the folder, check it, build(folder, name,
    checksum or commit). Every error on the way becomes one sentence that names the source.
    """
    parsed = sources.parse_source(source, anywhere, own)
    if importlib.util.find_spec("kernels") is not None:
        raise ModelUnavailable(
            "the package 'kernels' is installed, with which a model folder can fetch code; "
            "uninstall it to load readers"
        )
    try:
        folder, commit = (parsed.path, "") if parsed.path else sources.fetch(parsed)
        name = f"{parsed.repo}@{commit[:8]}" if commit else parsed.name
        if not folder.is_dir():
            raise ModelUnavailable("it is not in this checkout; name a folder or a hub id")
        loaded = FETCHED if commit else ("*",)
        checksum = sources.check_manifest(folder, folder in own.values(), loaded)
        return build(folder, name, checksum or commit)
    except QADemoError as fault:
        raise type(fault)(f"{parsed.name}: {' '.join(str(fault).splitlines())}") from fault
    except SafetensorError as fault:
        damaged = "its .safetensors file is cut off or damaged; copy it anew"
        raise BadCheckpoint(f"{parsed.name}: {damaged}") from fault
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as fault:
        # The libraries raise errors of any class, tokenizers one that is no Exception; their texts
        # can quote paths, so they go to the log.
        log.warning("building %r failed", parsed.name, exc_info=fault)
        what = f"the files fit together for no model that can be built ({type(fault).__name__})"
        raise BadCheckpoint(f"{parsed.name}: {what}") from fault


def pretrained(folder: Path, head: str, adapter: Path | None = None) -> tuple[Any, Any]:
    """The model of a folder with this head, in float32, and its tokenizer; an adapter is merged
    into it.

    Errors: BadCheckpoint for a folder that chooses code, files that are no plain files, tensors
    that are missing, without a place or not finite, a tokenizer with more pieces than the model.
    """
    sources.scan(folder)
    for name in sources.held(folder):
        sources.regular(folder, name)
    sources.weight_files(folder)
    transformers.logging.disable_progress_bar()
    config = transformers.AutoConfig.from_pretrained(folder, **LOCAL)
    # Switches of a training (replies without names, hooks on the word vectors, products in parts);
    # and a head of one output would count as start and as end.
    switches = {"return_dict": True, "gradient_checkpointing": False, "chunk_size_feed_forward": 0}
    config.update(switches | {"num_labels": 2})
    # A classifier's head misses no tensor in ModernBERT, where all heads have one name.
    named = [f"ModernBert{HEADS[head].__name__.removeprefix('AutoModel')}"]
    if config.model_type == "modernbert" and adapter is None and config.architectures != named:
        raise BadCheckpoint(f"config.json must have architectures = {named}, as a {head} model has")
    with _one_at_a_time:
        loud = transformers.logging.get_verbosity()
        transformers.logging.set_verbosity_error()  # else it prints a table of what is missing
        try:
            model, told = HEADS[head].from_pretrained(folder, config=config, **WEIGHTS)
        finally:
            transformers.logging.set_verbosity(loud)
    own = f"{model.base_model_prefix}."
    missing, more = (sorted(told[f"{kind}_keys"]) for kind in ("missing", "unexpected"))
    if idle := [name for name in more if re.search(r"layers?\.\d", name)]:
        raise BadCheckpoint(
            f"config.json has no place for tensors of layers ({len(idle)}, such as {idle[0][:80]})"
        )
    if adapter is not None:
        model.load_state_dict(merged(model.base_model.state_dict(), load_file(adapter), own))
    elif missing:
        lost = next((name for name in missing if not name.startswith(own)), missing[0])
        raise BadCheckpoint(
            f"tensors of a {head} model are missing ({len(missing)}, such as {lost[:80]}); an "
            f"encoder that was never trained for it has no such head"
        )
    check_finite(model.state_dict(), "")
    return model, tokenizer_of(folder, model.config)


def tokenizer_of(folder: Path, config: Any) -> Any:
    """The folder's tokenizer, no larger than the model's vocabulary."""
    readable = TOKENIZER_FILES if importlib.util.find_spec("sentencepiece") else TOKENIZER_FILES[:3]
    if not any((folder / name).is_file() for name in readable):  # an empty one would be made
        raise BadCheckpoint("the tokenizer is missing (tokenizer.json, not SentencePiece's alone)")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, config=config, **LOCAL)
    named = {kind: getattr(tokenizer, f"{kind}_token_id") for kind in ("cls", "sep", "pad", "mask")}
    if None in named.values():
        raise BadCheckpoint(f"the tokenizer names no token for one of {', '.join(named)}")
    largest = max(tokenizer.get_vocab().values(), default=-1)
    if largest >= config.vocab_size:
        raise BadCheckpoint(
            f"tokenizer and model do not fit: the tokenizer has ids up to {largest}, "
            f"the model knows {config.vocab_size} tokens"
        )
    return tokenizer


def weighted(head: Any, path: Path) -> Any:
    """A head with the tensors of a file beside a folder, in its own precision, frozen. Errors:
    BadCheckpoint for other tensors than it has, or such as are not finite.
    """
    tensors = load_file(path)
    check_finite(tensors, f"{path.name}: ")
    try:
        head.load_state_dict(tensors)
    except RuntimeError as fault:
        raise BadCheckpoint(f"{path.name} holds no head that fits this model") from fault
    return head.requires_grad_(False).eval()


def check_finite(tensors: dict[str, Any], where: str) -> None:
    """BadCheckpoint that names a tensor with NaN or infinity."""
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            what = "holds numbers that are not finite (NaN or infinity)"
            raise BadCheckpoint(f"{where}{name[:80]} {what}")
