"""load_spanbert: a name in, a checked model out, with the boundary head if there is one."""

from pathlib import Path
from typing import Any

from qa_demo.core.base import BadCheckpoint, ModelUnavailable
from qa_demo.core.store import ASSETS
from qa_demo.model.blueprint import Blueprint
from qa_demo.model.checks import read_header, regular, weight_files
from qa_demo.model.folder_tokenizer import load_tokenizer
from qa_demo.model.loading import open_source
from qa_demo.model.sbo import WIDTH, SBOHead
from qa_demo.model.source import LOOPBACK, HostLimits
from qa_demo.model.spanbert import SpanBERT
from qa_demo.model.weights import fill, weights

SBO_FILE = "sbo_head.safetensors"


def spanbert_folder() -> Path:
    """assets/spanbert."""
    return ASSETS / "spanbert"


def load_spanbert(source: str = "bundled", limits: HostLimits = LOOPBACK) -> SpanBERT:
    """The bundled SpanBERT, a local folder, or a hub id whose masked-language head fills blanks
    without a boundary head.

    Errors: BadInput for a name that is none of these, ModelUnavailable for what cannot be reached,
    BadCheckpoint for what was found and must not be used. Weights are computed with in fp32 always.
    """

    def build(folder: Path, plan: Blueprint, name: str, _: str) -> SpanBERT:
        files, tokenizer = weight_files(folder), load_tokenizer(folder, plan.config)
        if (
            tokenizer.mask_token_id is None
            or tokenizer.cls_token_id is None
            or tokenizer.sep_token_id is None
        ):
            raise BadCheckpoint(
                "its tokenizer lacks [MASK], [CLS] or [SEP], so it cannot hide a word"
            )
        model = weights(plan, files, "it has no masked-language head, or lost a part of it: ")
        sbo = load_sbo(folder, plan.config)
        return SpanBERT(name, model, tokenizer, sbo)

    return open_source(source, limits, "MaskedLM", _bundled, build)


def _bundled() -> Path:
    folder = spanbert_folder()
    if not folder.is_dir():
        raise ModelUnavailable(
            "the bundled SpanBERT is not in this checkout (assets/spanbert); "
            "name a folder or a hub id of a masked-language model"
        )
    return folder


def load_sbo(folder: Path, config: Any) -> SBOHead | None:
    """The boundary head beside a folder, fp32, or None; BadCheckpoint for unfit tensors."""
    path = regular(folder, SBO_FILE)
    if path is None:
        return None
    table = read_header(path).get("position.weight")
    rows = () if table is None else table.shape
    if len(rows) != 2 or not 1 <= rows[0] <= 512 or rows[1] != WIDTH:
        raise BadCheckpoint(
            f"{SBO_FILE} needs a position table of 1 to 512 rows of {WIDTH}, got {list(rows)}"
        )
    return fill(SBOHead(config.hidden_size, config.vocab_size, rows[0]), path)
