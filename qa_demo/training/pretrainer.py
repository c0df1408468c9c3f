"""An encoder with the masked-language and span boundary heads, and the loss of both."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import AutoModelForMaskedLM

from qa_demo.core.base import BadInput
from qa_demo.model.spanbert import SBOHead, load_sbo
from qa_demo.training.processor import training_form
from qa_demo.training.text import Batch


class Pretrainer(nn.Module):
    """Only blanks meet the vocabulary: rows [M, d], [S, d] are gathered before products."""

    def __init__(self, mlm: nn.Module, sbo: SBOHead | None) -> None:
        super().__init__()
        self.mlm, self.sbo = mlm, sbo

    @property
    def words(self) -> Tensor:
        """The word table [V, d], which both decoders share."""
        words: Tensor = self.mlm.get_input_embeddings().weight
        return words

    def logits(self, batch: Batch) -> tuple[Tensor, Tensor | None]:
        """MLM logits [M, V] and SBO logits [S, V] of a batch; None without a boundary head."""
        hidden = self.mlm.base_model(
            input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]
        )[0].flatten(0, 1)
        mlm = self.mlm.cls(hidden[batch["at"]])
        return mlm, None if self.sbo is None else self.sbo(
            hidden[batch["left"]], hidden[batch["right"]], batch["k"], self.words
        )

    def forward(self, batch: Batch) -> dict[str, Tensor]:
        """sum(MLM) / M and sum(SBO) / (S + 1): two means, each with its own denominator."""
        mlm, sbo = self.logits(batch)
        terms = {"mlm": F.cross_entropy(mlm.float(), batch["true"])}
        if sbo is not None:
            terms["sbo"] = F.cross_entropy(
                sbo.float(), batch["true"][batch["row"]], reduction="sum"
            ) / (len(batch["row"]) + 1)
        return terms


def total(terms: dict[str, Tensor], pair_loss_weight: float) -> Tensor:
    """L_MLM + pair_loss_weight L_SBO."""
    return terms["mlm"] + pair_loss_weight * terms["sbo"] if "sbo" in terms else terms["mlm"]


def load(
    source: str, sbo: bool, positions: int, counts: np.ndarray | None = None, dropout: float = 0.0
) -> Pretrainer:
    """A BERT-type encoder to be trained; heads it lacks start anew, their output biases at log
    frequency where `counts` [V] are given.

    A folder that `export_spanbert` wrote brings both heads, so that a later run goes on from it
    with a fresh optimiser.
    """
    mlm, info = AutoModelForMaskedLM.from_pretrained(
        source, output_loading_info=True, **training_form(dropout)
    )
    if not hasattr(mlm, "cls"):
        raise BadInput(
            f"pre-training needs a BERT-type encoder, {source} is of the family "
            f"{mlm.config.model_type}"
        )
    kept = load_sbo(Path(source), mlm.config) if sbo and Path(source).is_dir() else None
    if kept is not None and kept.positions != positions:
        raise BadInput(
            f"the boundary head of {source} has {kept.positions} positions, asked for are "
            f"{positions}"
        )
    head = kept or (
        SBOHead(mlm.config.hidden_size, mlm.config.vocab_size, positions) if sbo else None
    )
    model = Pretrainer(mlm, head)
    if counts is not None:
        new = any(name.startswith("cls.") for name in info["missing_keys"])
        begin_at_frequency(model, counts, new, kept is None)
    return model


@torch.no_grad()
def begin_at_frequency(model: Pretrainer, counts: np.ndarray, mlm: bool, sbo: bool) -> None:
    """The counts [V] of the pieces for the boundary head, and their log frequency as output biases
    of the heads that are new.

    A head that knew only how often each piece comes would have exactly these biases, so training
    need not learn them.
    """
    bias = torch.from_numpy(np.log((counts + 0.1) / (counts + 0.1).sum())).float()
    if mlm:
        model.mlm.cls.predictions.bias.copy_(bias)
    if model.sbo is not None:
        model.sbo.counts.copy_(torch.from_numpy(counts))
        if sbo:
            model.sbo.bias.copy_(bias)


def parameter_groups(
    model: Pretrainer,
    learning_rate: float,
    head_rate: float,
    weight_decay: float,
    train_embeddings: bool,
) -> list[dict]:
    """Heads at head_rate x learning_rate; decay on matrices only; embeddings frozen if asked."""
    model.mlm.base_model.embeddings.requires_grad_(train_embeddings)
    # The decoder is the word table itself and is listed once, under the encoder.
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            groups.setdefault(
                (name.startswith(("mlm.cls.", "sbo.")), parameter.dim() > 1), []
            ).append(parameter)
    return [
        {
            "params": found,
            "lr": learning_rate * (head_rate if head else 1.0),
            "weight_decay": weight_decay if matrix else 0.0,
        }
        for (head, matrix), found in groups.items()
    ]
