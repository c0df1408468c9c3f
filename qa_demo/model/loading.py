"""load_reader: a name in, a checked reader out: parsed, fetched, checked, then built."""

import importlib.util
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from qa_demo.core.base import BadCheckpoint, ModelUnavailable, QADemoError
from qa_demo.core.types import WindowOptions
from qa_demo.model import hub
from qa_demo.model.adapter import ADAPTER_FILE, base_of
from qa_demo.model.blueprint import Blueprint, blueprint
from qa_demo.model.checks import check_manifest, regular, weight_files
from qa_demo.model.deadline import TookTooLong, within
from qa_demo.model.folder_tokenizer import digest, load_tokenizer
from qa_demo.model.source import LOOPBACK, HostLimits, Source, bundled_folder, parse_source
from qa_demo.model.weights import weights
from qa_demo.model.workers import SHARED, Workers

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader

log = logging.getLogger(__name__)
Model = TypeVar("Model")
MIN_POSITIONS = 32


def load_reader(
    source: str = "bundled",
    limits: HostLimits = LOOPBACK,
    *,
    workers: Workers = SHARED,
    bf16: bool = False,
) -> "BertReader":
    """A `Reader` for `bundled`, `large`, a local folder, or a hub id `owner/name[@revision]`.

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

    def fits(found: Path) -> Blueprint:
        return blueprint(found, limits, head)

    if source.kind == "hub":
        folder, commit = hub.fetch(source, limits, fits)
        name = f"{source.repo}@{commit[:8]}"
    else:
        folder, commit = (source.path or bundled()), ""
        name = source.name
    if not folder.is_dir():
        raise ModelUnavailable(f"the reader {source.name} is not in this checkout")
    try:
        loaded = hub.FILES if source.kind == "hub" else ("*",)
        required = source.kind in ("bundled", "large")
        checksum = check_manifest(folder, required=required, loaded=loaded)
        plan = fits(base_of(folder, limits, fits) or folder)
        return build(folder, plan, name, checksum or commit)
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


def _build(
    folder: Path, plan: Blueprint, name: str, checksum: str, workers: Workers, bf16: bool
) -> "BertReader":
    from qa_demo.model.heads import load_bio, read_card
    from qa_demo.model.reader import BertReader

    files, tokenizer = weight_files(plan.folder), load_tokenizer(plan.folder, plan.config)
    bio, adapter = load_bio(folder, plan.config.hidden_size), regular(folder, ADAPTER_FILE)
    card = read_card(folder)
    reader = BertReader(
        name,
        weights(plan, files, adapter=adapter),
        tokenizer,
        bio=bio,
        threshold=card.threshold,
        calibrations=card.calibrations,
        checksum=checksum or digest(plan.folder, [*files, *([adapter] if adapter else [])]),
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
