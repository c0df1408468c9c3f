"""load_spanbert: a name in, a checked masked-language model out, with the span boundary head where the folder has one."""

import logging
from pathlib import Path
from typing import Any

import torch

from qa_demo.core.errors import BadCheckpoint, ModelUnavailable, QADemoError
from qa_demo.model import hub
from qa_demo.model.checks import check_manifest, read_header, read_json, regular, weight_files
from qa_demo.model.config import FAMILIES, clean_config
from qa_demo.model.deadline import TookTooLong, within
from qa_demo.model.loading import Blueprint, _building, _check_shapes, _digest, _tensors, _tokenizer
from qa_demo.model.source import LOOPBACK, HostLimits, Source, bundled_folder, parse_source
from qa_demo.model.spanbert import WIDTH, SBOHead, SpanBERT
from qa_demo.model.workers import SHARED, Workers

log = logging.getLogger(__name__)
SBO_FILE = "sbo_head.safetensors"


def spanbert_folder() -> Path:
    """assets/spanbert, beside the bundled reader."""
    return bundled_folder().with_name("spanbert")


def load_spanbert(source: str = "bundled", limits: HostLimits = LOOPBACK, *, workers: Workers = SHARED) -> SpanBERT:
    """The bundled SpanBERT, a local folder, or a hub id whose masked-language head fills blanks without a boundary head.

    Errors: BadInput for a name that is none of these, ModelUnavailable for what cannot be reached, BadCheckpoint for what was
    found and must not be used. Weights are computed with in fp32 always.
    """
    parsed = parse_source(source, limits)
    try:
        return within(limits.seconds, lambda: _load(parsed, limits, workers))
    except TookTooLong as late:
        raise ModelUnavailable(f"{parsed.name} did not load within {limits.seconds:g} seconds; try again") from late


def _load(source: Source, limits: HostLimits, workers: Workers) -> SpanBERT:
    if source.kind == "hub":
        folder, commit = hub.fetch(source, limits, lambda found: _blueprint(found, limits))
        name = f"{source.repo}@{commit[:8]}"
    else:
        folder, commit = (source.path or spanbert_folder()), ""
        name = source.name
    if source.kind == "bundled" and not folder.is_dir():
        raise ModelUnavailable("the bundled SpanBERT is not in this checkout (assets/spanbert); "
                               "name a folder or a hub id of a masked-language model")
    try:
        checksum = check_manifest(folder, required=source.kind == "bundled") or commit
        plan, files = _blueprint(folder, limits), weight_files(folder)
        tokenizer = _tokenizer(folder, plan.config)
        if tokenizer.mask_token_id is None or tokenizer.cls_token_id is None or tokenizer.sep_token_id is None:
            raise BadCheckpoint("its tokenizer lacks [MASK], [CLS] or [SEP], so it cannot hide a word")
        return SpanBERT(name, _model(plan, files), tokenizer, load_sbo(folder, plan.config), checksum or _digest(folder, files), workers)
    except QADemoError as fault:
        raise type(fault)(f"{source.name}: {fault}") from fault
    except Exception as fault:
        # As in `loading`: the libraries' texts can quote paths, so they go to the log.
        log.warning("building %r failed", source.name, exc_info=fault)
        raise BadCheckpoint(f"{source.name}: the files fit together for no model that can be built ({type(fault).__name__})") from fault


def _blueprint(folder: Path, limits: HostLimits) -> Blueprint:
    """As `loading.blueprint`, for the family's masked-language class."""
    import transformers

    raw = read_json(folder, "config.json", limit=2**20)
    if raw is None:
        raise BadCheckpoint("config.json is missing, so this is not a transformers model")
    clean = clean_config(raw)
    prefix = FAMILIES[clean.pop("model_type")]
    config, model_class = getattr(transformers, f"{prefix}Config")(**clean), getattr(transformers, f"{prefix}ForMaskedLM")
    config._attn_implementation = "sdpa" if model_class._supports_sdpa else "eager"
    with torch.device("meta"):
        skeleton = model_class(config)
    parameters = sum(parameter.numel() for parameter in skeleton.parameters())
    if limits.max_parameters is not None and parameters > limits.max_parameters:
        raise BadCheckpoint(f"the model has {parameters:,} parameters, this host allows {limits.max_parameters:,}")
    return Blueprint(config, model_class, {name: tuple(tensor.shape) for name, tensor in skeleton.state_dict().items()}, (), parameters)


def _model(plan: Blueprint, files: list[Path]) -> Any:
    """As `loading._model`: transformers gets tensors and never the folder."""
    import transformers

    _check_shapes(plan, {key: tensor for path in files for key, tensor in read_header(path).items()})
    transformers.logging.disable_progress_bar()
    with _building:
        model, info = plan.model_class.from_pretrained(
            None, config=plan.config, state_dict=_tensors(files), dtype=torch.float32, trust_remote_code=False, use_safetensors=True,
            local_files_only=True, output_loading_info=True)
    missing = sorted(info["missing_keys"]) + sorted(str(name) for name in info["mismatched_keys"])
    if missing:
        raise BadCheckpoint(f"it has no masked-language head, or lost a part of it: {len(missing)} tensors are missing, "
                            f"the first is {missing[0][:80]}")
    return model


def load_sbo(folder: Path, config: Any) -> SBOHead | None:
    """The boundary head beside a folder, in fp32; None when there is no such file, BadCheckpoint when its tensors do not fit."""
    from safetensors.torch import load_file

    path = regular(folder, SBO_FILE)
    if path is None:
        return None
    shapes = {name: tensor.shape for name, tensor in read_header(path).items()}
    rows = shapes.get("position.weight", ())
    if len(rows) != 2 or not 1 <= rows[0] <= 512 or rows[1] != WIDTH:
        raise BadCheckpoint(f"{SBO_FILE} needs a position table of 1 to 512 rows of {WIDTH}, got {list(rows)}")
    head = SBOHead(config.hidden_size, config.vocab_size, rows[0])
    needed = {name: tuple(tensor.shape) for name, tensor in head.state_dict().items()}
    if shapes != needed:
        wrong = sorted(name for name in shapes.keys() | needed.keys() if shapes.get(name) != needed.get(name))[0]
        raise BadCheckpoint(f"{SBO_FILE}: {wrong[:60]} must have the shape {needed.get(wrong)}, got {shapes.get(wrong)}")
    tensors = {name: tensor if name == "counts" else tensor.float() for name, tensor in load_file(path).items()}
    if not all(bool(torch.isfinite(tensor).all()) for tensor in tensors.values()):
        raise BadCheckpoint(f"{SBO_FILE} holds numbers that are not finite")
    head.load_state_dict(tensors)
    return head
