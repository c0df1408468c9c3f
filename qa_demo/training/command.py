"""What all training commands share: the settings of a run and their flags, exit codes, the files
that they write, and how an encoder is loaded to be trained.
"""

import argparse
import json
import logging
import platform
import sys
import timeit
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError
from transformers.hf_argparser import HfArg, HfArgumentParser

from qa_demo.core.base import BadInput, QADemoError
from qa_demo.files import write_file

Options = TypeVar("Options")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every run depends on; written beside its weights. Each field is a flag."""

    out: str
    steps: int = 0
    minutes: float = HfArg(default=0.0, help="in place of --steps")
    batch_tokens: int = 3072
    learning_rate: float = 2e-4
    head_rate: float = 5.0
    warmup: int = 100
    weight_decay: float = 0.01
    dropout: float = 0.0
    seed: int = 1
    evaluate_every: int = 500
    save_every: int = 250
    log_every: int = 50


def described(doc: str | None, name: str, *kinds: type) -> HfArgumentParser:
    """A parser whose help is a module's docstring, with the flags of kinds of settings."""
    form, command = argparse.RawDescriptionHelpFormatter, f"python -m qa_demo.training.{name}"
    return HfArgumentParser(kinds, prog=command, description=doc, formatter_class=form)


def parsed(kind: type[Options], doc: str | None, name: str, argv: Sequence[str] | None) -> Options:
    """The settings that a command line asks for."""
    return kind(**vars(described(doc, name, kind).parse_args(argv)))


def exit_code(main: Callable[[list[str] | None], int | None]) -> Callable[..., int]:
    """A command's `main` that gives an exit code: its own, or 2 with one sentence for what its user
    can mend; what it logs is shown with the time.
    """

    @wraps(main)
    def run(argv: list[str] | None = None) -> int:
        logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
        try:
            return main(argv) or 0
        except (QADemoError, OSError, SafetensorError) as fault:
            sys.stderr.write(f"{fault}\n")
            return 2

    return run


def read_json(path: Path) -> Any:
    """A file of a run or a model. Errors: BadInput where it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        name = path.absolute().parent.name
        raise BadInput(f"{name} holds no {path.name} that can be read") from fault


def write_json(path: Path, what: Any) -> None:
    """A file of a run or a model, whole or not at all."""
    write_file(path, json.dumps(what, indent=1) + "\n")


def versions(*packages: str) -> dict[str, str]:
    """What figures were measured with: the versions of packages, and of Python."""
    return {name: version(name) for name in packages} | {"python": platform.python_version()}


def seconds_of_products(dtype: torch.dtype) -> float:
    """The fastest of eight products [256, 384] x [384, 1536]."""
    a, b = torch.ones(256, 384, dtype=dtype), torch.ones(384, 1536, dtype=dtype)
    return min(timeit.repeat(lambda: a @ b, number=1, repeat=8))


@cache
def processor_has_bf16() -> bool:
    """True where bf16 matrix products pay: on a GPU, and on a CPU where a short measurement finds
    them a fifth faster than fp32.

    The processor's own word is not enough: one that lists AVX512-BF16 but hides AMX took 1.8 times
    as long in bf16. Measured once in a process and with a margin: other work on the same cores must
    not change the format of a run that goes on.
    """
    return torch.cuda.is_available() or seconds_of_products(
        torch.bfloat16
    ) < 0.8 * seconds_of_products(torch.float32)


def loaded(kind: Any, source: str | Path, **form: Any) -> Any:
    """What transformers loads. Errors: BadInput for a folder that holds nothing it knows."""
    try:
        return kind.from_pretrained(source, **form)
    except ValueError as fault:
        said = str(fault).splitlines()[0]
        raise BadInput(f"{Path(source).name} cannot be loaded: {said}") from fault


def training_form(dropout: float) -> dict[str, Any]:
    """How `from_pretrained` loads an encoder that is to be trained: fp32, safetensors only, dropout
    on hidden states only. On a CPU attention by plain products: the backward pass of torch 2.13's
    fused kernel takes a quarter of a step at 128 tokens (512 ms against 391). On a GPU the model
    chooses: MPNet has no fused one.
    """
    return {
        "dtype": torch.float32,
        "use_safetensors": True,
        "hidden_dropout_prob": dropout,
        "attention_probs_dropout_prob": 0.0,
        "attn_implementation": None if torch.cuda.is_available() else "eager",
    }
