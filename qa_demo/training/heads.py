"""Models that are trained: how an encoder is loaded, which of its tensors change, and one encoder
with the start/end head and the tags' head and the loss that trains both.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from timeit import timeit
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from transformers import AutoModelForQuestionAnswering, AutoTokenizer

from qa_demo.core.base import BadInput
from qa_demo.core.types import Window
from qa_demo.model.forward import inputs_of, knows_token_types, longest_input

Batch = Mapping[str, Tensor]
Terms = dict[str, Tensor]
Loss = Callable[[Batch], Terms]
Factor = Callable[[str, nn.Parameter], float]
SCALE = 2
"""The factor alpha / r on the change of an adapter."""
UNLIKE = "cannot be trained: it is not built as BERT, RoBERTa, ELECTRA or MPNet is"


# ---- how an encoder is trained


def bf16_pays() -> bool:
    """True where bf16 matrix products pay: on a GPU that makes them itself (Ampere, not T4), and on
    a CPU where a short measurement finds them a fifth faster than fp32: what it lists is not
    enough, as AVX512-BF16 without AMX takes longer.
    """
    if torch.cuda.is_available():
        return torch.cuda.is_bf16_supported(including_emulation=False)
    a, b = torch.ones(64, 384), torch.ones(384, 1536)
    pairs = (a, b), (a.bfloat16(), b.bfloat16())
    # in turn, as other work beside it comes and goes
    times = [[timeit(partial(torch.mm, *x), number=1) for x in pairs] for _ in range(200)]
    fp32, bf16 = map(min, zip(*times, strict=True))
    return bf16 < 0.8 * fp32


def loaded(kind: Any, source: str | Path, **form: Any) -> Any:
    """What transformers loads. Errors: BadInput for a folder that is not there or holds nothing it
    knows, an id that the hub does not give, and an encoder whose family has no such settings.
    """
    if Path(source).is_absolute() and not Path(source).is_dir():  # it would be read as an id
        raise BadInput(f"{Path(source).name} cannot be loaded: there is no such folder")
    try:
        return kind.from_pretrained(source, **form)
    except (ValueError, OSError, SafetensorError) as fault:
        said = str(fault).splitlines()[0]
        raise BadInput(f"{Path(source).name} cannot be loaded: {said}") from fault
    except TypeError as fault:
        raise BadInput(f"{Path(source).name} {UNLIKE} ({fault})") from fault


def around(kind: Any, source: str, dropout: float) -> tuple[Any, list[str]]:
    """A model around an encoder as it is trained, and which tensors of its head are new: fp32,
    safetensors only, dropout on hidden states only. On a CPU attention by plain products: the
    backward pass of torch 2.13's fused kernel takes a quarter of a step at 128 tokens (512 ms
    against 391). On a GPU the model chooses: MPNet has no fused one. Errors: BadInput, also for an
    encoder whose own tensors are missing or of other shapes: they would be random.
    """
    form: dict[str, Any] = {"dtype": torch.float32, "use_safetensors": True}
    form |= {"output_loading_info": True, "ignore_mismatched_sizes": True}
    form |= {"hidden_dropout_prob": dropout, "attention_probs_dropout_prob": 0.0, "num_labels": 2}
    form["attn_implementation"] = None if torch.cuda.is_available() else "eager"
    model, told = loaded(kind, source, **form)
    missing = sorted(told["missing_keys"])
    lost = [name for name in missing if name.startswith(f"{model.base_model_prefix}.")]
    if lost := lost + sorted(name for name, *_ in told["mismatched_keys"]):
        raise BadInput(f"{Path(source).name} lacks {len(lost)} of its tensors, as {lost[0]}")
    return model, missing


def tokenizer_of(source: str | Path) -> Any:
    """A tokenizer. Errors: BadInput, also where there is none: transformers makes an empty one."""
    tokenizer = loaded(AutoTokenizer, source)
    if set(tokenizer.get_vocab()) <= set(tokenizer.all_special_tokens):
        raise BadInput(f"{Path(source).name} holds no tokenizer, as tokenizer.json or vocab.txt")
    return tokenizer


def check_length(length: int, config: Any, flag: str) -> None:
    """Errors: BadInput for windows or sequences of more pieces than the encoder has positions."""
    if length > (longest := longest_input(config)):
        raise BadInput(f"{flag} may be up to {longest} with this encoder, got {length}")


class Trained(nn.Module):
    """A model around one of transformers; `bf16`: whether its matrix products are in bf16;
    `origin`: the SHA-256 of its encoder before any training.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.config, self.bf16, held = model.config, False, hashlib.sha256()
        for tensor in model.base_model.parameters():
            held.update(tensor.detach().numpy())
        self.origin = held.hexdigest()

    def check_origin(self, run: Mapping[str, Any]) -> None:
        """Errors: BadInput where a run with these settings began with another encoder."""
        if run.get("origin", self.origin) != self.origin:  # older ones do not say
            own = f"with {run['encoder']}, or that has changed since"
            raise BadInput(f"the run began with another encoder than the one given: {own}")

    def use_bf16(self, bf16: bool) -> None:
        """Products in bf16 or not: DeBERTa v1 fails there, hiding padding by fp32's minimum."""
        self.bf16 = bf16 and self.config.model_type != "deberta"


def trainable(model: nn.Module) -> dict[str, torch.Tensor]:
    """The tensors that training changes; the frozen embeddings stay in the encoder's own folder."""
    return {n: p.detach().contiguous() for n, p in model.named_parameters() if p.requires_grad}


def snapshot(out: Path, model: nn.Module, step: int) -> None:
    """Keep the trained tensors in half precision (21 MB for six layers of 384) at the steps of the
    replay: 0, 1, 2, 3, 4, 6, 8, 11, 16, ... = round(2^(k/2)).
    """
    if step == 0 or any(step == round(2 ** (k / 2)) for k in range(41)):
        (out / "snapshots").mkdir(exist_ok=True)
        kept = {name: tensor.half() for name, tensor in trainable(model).items()}
        save_file(kept, out / "snapshots" / f"step-{step:06d}.safetensors")


def tensors_of(path: Path) -> dict[str, Tensor]:
    """The tensors of a file. Errors: BadInput where it cannot be read, as one copied in part."""
    try:
        return load_file(path)
    except (OSError, SafetensorError) as fault:
        name = path.absolute().parent.name
        raise BadInput(f"{name} holds no {path.name} that can be read: {fault}") from fault


def load_weights(model: nn.Module, path: Path) -> None:
    """Copy a checkpoint's tensors into a model. Errors: BadInput for other layers or shapes."""
    tensors, own = tensors_of(path), model.state_dict()
    held, has = (len(set(re.findall(r"\.layer\.(\d+)\.", " ".join(x)))) for x in (tensors, own))
    if held != has:
        raise BadInput(f"{path.name} holds {held} layers, the encoder has {has}: name its own")
    for name, x in tensors.items():
        if name not in own or own[name].shape != x.shape:
            raise BadInput(f"{path.name} holds what the model lacks, as {name} {list(x.shape)}")
    model.load_state_dict(tensors, strict=False)


# ---- two heads


class TwoHeads(Trained):
    """s = S.T + b_S, e = E.T + b_E (`qa_outputs`, d -> 2), tag logits W.T + b (`bio`, d -> 3)."""

    def __init__(self, reader: Any) -> None:
        super().__init__(reader)
        self.reader = reader
        self.bio = nn.Linear(reader.config.hidden_size, 3)
        nn.init.normal_(self.bio.weight, std=0.02)
        nn.init.zeros_(self.bio.bias)

    @torch.no_grad()
    def read(self, window: Window) -> tuple[np.ndarray, np.ndarray]:
        """Logits of start and end [n, 2], and of the tags [n, 3], of one window, unpadded."""
        batch = {n: x.to(self.reader.device) for n, x in inputs_of(self.reader, window).items()}
        batch["attention_mask"] = torch.ones_like(batch["input_ids"])
        start, end, tags = (x[0].cpu() for x in self(batch))
        return torch.stack([start, end], -1).numpy(), tags.numpy()

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of start and end [B, L], -10,000 on padding, and of the tags [B, L, 3]."""
        names = ("input_ids", "attention_mask", "token_type_ids")
        known = names[: 2 + knows_token_types(self.reader.config)]
        hidden = self.reader.base_model(**{name: batch[name] for name in known}).last_hidden_state
        start, end = self.reader.qa_outputs(hidden).float().unbind(-1)
        padding = batch["attention_mask"] == 0
        tags = self.bio(hidden).float()
        return start.masked_fill(padding, -1e4), end.masked_fill(padding, -1e4), tags


def adapt(model: TwoHeads, rank: int) -> None:
    """Freeze the encoder and give each of its linear layers W a change of low rank: W x + 2 B A x
    with A [rank, in] random and B [out, rank] zero, so that nothing changes before the first step.

    Source: Hu et al. 2021, "LoRA: Low-Rank Adaptation of Large Language Models", section 4.1.
    """
    from peft import LoraConfig, inject_adapter_in_model

    base = model.reader.base_model
    linear = (name for name, module in base.named_modules() if isinstance(module, nn.Linear))
    layers = [name for name in linear if not name.startswith("pooler")]  # which no head reads
    model.reader.requires_grad_(False)
    change = LoraConfig(r=rank, lora_alpha=SCALE * rank, target_modules=layers)
    inject_adapter_in_model(change, base)
    model.reader.qa_outputs.requires_grad_(True)


def load(source: str, dropout: float, adapter: int = 0) -> TwoHeads:
    """A reader around an encoder (folder or hub id); a head that it lacks is random. `adapter`: the
    rank of the trained change to a frozen encoder, 0 to train all of it. Errors: BadInput.
    """
    reader, _ = around(AutoModelForQuestionAnswering, source, dropout)
    parts = dict(reader.base_model.named_modules())
    if "encoder.layer" not in parts or not hasattr(reader, "qa_outputs"):
        raise BadInput(f"{Path(source).name} {UNLIKE} ({type(reader).__name__})")
    model, head = TwoHeads(reader), Path(source) / "bio_head.safetensors"
    if head.is_file():  # a folder that export wrote: the start/end head came with the model
        model.bio.load_state_dict(tensors_of(head))
    if adapter:
        adapt(model, adapter)
    return model


def of_run(run: Mapping[str, Any], encoder: str = "", dropout: float = 0.0) -> TwoHeads:
    """The model that a run with these settings began with. Errors: BadInput for another encoder."""
    model = load(encoder or run["encoder"], dropout, run.get("adapter", 0))
    model.check_origin(run)
    return model


def grouped(model: nn.Module, s: Any, factor: Factor) -> list[dict[str, Any]]:
    """What is trained, each at its factor of the learning rate; weight decay on matrices only."""
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, p in model.named_parameters():
        if p.requires_grad:
            key = s.learning_rate * factor(name, p), s.weight_decay if p.dim() > 1 else 0.0
            groups.setdefault(key, []).append(p)
    return [{"params": x, "lr": r, "weight_decay": d} for (r, d), x in groups.items()]


@torch.no_grad()
def move_average(average: nn.Module, model: nn.Module, decay: float, step: int) -> None:
    """a <- d a + (1 - d) w with d rising to `decay`, so that early steps are forgotten fast."""
    d = min(decay, (1 + step) / (10 + step))
    pairs = zip(average.parameters(), model.parameters(), strict=True)
    ours, theirs = zip(*((a, w.detach()) for a, w in pairs if w.requires_grad), strict=True)
    torch._foreach_lerp_(ours, theirs, 1 - d)


def descend(model: Trained, loss: Loss, optimizer: torch.optim.Optimizer, batch: Batch) -> Terms:
    """One step of the optimiser down the loss; the terms before it, the gradient's norm and how
    many tokens there were: tensors, since turning each into a number would make a GPU wait.
    """
    model.train()
    device = next(model.parameters()).device
    there = {name: value.to(device, non_blocking=True) for name, value in batch.items()}
    with torch.autocast(device.type, torch.bfloat16, enabled=model.bf16):
        terms = loss(there)
    terms["loss"].backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    found = terms | {"gradient": norm, "tokens": there["attention_mask"].sum().float()}
    return {name: value.detach() for name, value in found.items()}


def loss_terms(start: Tensor, end: Tensor, tags: Tensor, batch: Batch, lists: float = 1.0) -> Terms:
    """start and end: -(1/B) sum_b sum_i t_bi log p_bi over positions; tags: the mean over pieces of
    -sum_j t_ij log p_ij, a piece of a list counted `lists` times; B: the labelled rows.
    """
    rows, count = batch["labelled"], batch["labelled"].sum().clamp(min=1)
    weight = batch["tagged"] * rows[:, None] * torch.where(batch["listed"], lists, 1.0)
    costs = -(batch["tags"] * tags.log_softmax(-1)).sum(-1)
    terms = {"tags": (costs * weight).sum() / weight.sum().clamp(min=1)}
    for name, x in (("start", start), ("end", end)):
        terms[name] = -((batch[name] * x.log_softmax(-1)).sum(-1) * rows).sum() / count
    return terms


def total(terms: Terms, bio_weight: float, of: str = "") -> Tensor:
    """(start + end) / 2 + bio_weight * tags."""
    start, end, tags = (terms[of + name] for name in ("start", "end", "tags"))
    return (start + end) / 2 + bio_weight * tags
