"""Fit the tags' layer anew on whole taggings, the encoder frozen: what the page reads off the tags
is a tagging, not a tag by itself.

    python -m qa_demo.training.refit_tags --reader assets/reader \\
        --train squad-more.json.gz:0.4 multispanqa.json.gz:3 --out assets/reader

    W, b = argmin mean over windows of twoheads.tagging_loss + ridge |W - W0|^2

which is -log P(tagging) among the legal ones and a part of each piece's own loss. The problem is
convex, so L-BFGS goes to its one minimum. Of --out only `bio_head.safetensors` changes, and what
`reader.json` and `checksums.json` say of it; of a reader that is an adapter, --reader is the folder
that `export_adapter --merge` wrote. Scores come afterwards from `score`.
"""

import json
import logging
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor
from transformers import AutoTokenizer

from qa_demo.core.base import BadCheckpoint, BadInput
from qa_demo.model.adapter import CARD_FILE
from qa_demo.model.heads import BIO_FILE
from qa_demo.training.data import collate
from qa_demo.training.export import LIMIT, finish, write_bio
from qa_demo.training.finetune import draw_batches, samplers_of
from qa_demo.training.flags import exit_code, parsed, setting
from qa_demo.training.processor import processor_has_bf16
from qa_demo.training.twoheads import PIECES, TwoHeads, load, tagging_loss

log = logging.getLogger("refit_tags")
Seen = tuple[Tensor, Tensor, Tensor]
"""Hidden states [B, L, d] in half precision, tag targets [B, L, 3], where they count [B, L]."""


@dataclass(frozen=True)
class Settings:
    """Everything the fit depends on."""

    reader: str = field(metadata={"help": "folder of a reader with both heads"})
    train: tuple[str, ...] = field(metadata={"metavar": "FILE:K"})
    out: str = field(metadata={"help": "the reader whose layer is replaced"})
    lengths: tuple[int, ...] = setting((128, 192, 256), help="window sizes to draw from")
    negatives: float = 0.05
    batch_tokens: int = 16384
    pieces: float = PIECES
    ridge: float = 1e-3
    iterations: int = 60
    tag_bias: tuple[float, ...] = setting((0.0, 0.0, 0.0), help="added to B, I, O after the fit")
    seed: int = 1


@torch.no_grad()
def states(s: Settings, model: TwoHeads, tokenizer: Any) -> Iterator[Seen]:
    """What the encoder makes of one round of windows; only that much is kept of them."""
    draws = draw_batches(samplers_of(s, tokenizer), s, 0)
    for _, number, features in takewhile(lambda drawn: drawn[0] == 0, draws):
        batch = collate(features, tokenizer.pad_token_id or 0)
        inputs = (batch[name] for name in ("input_ids", "attention_mask", "token_type_ids"))
        with torch.autocast("cpu", torch.bfloat16, enabled=processor_has_bf16()):
            hidden = model.states(*inputs)
        if number % 50 == 0:
            log.info("batch %d", number)
        yield hidden.half(), batch["tags"], batch["tagged"]


def fit(seen: list[Seen], weight: Tensor, bias: Tensor, s: Settings) -> tuple[Tensor, Tensor, Any]:
    """W [3, d], b [3], and the mean loss of a window in nats before and after."""
    first, windows = weight.clone(), sum(len(tags) for _, tags, _ in seen)
    weight, bias = (x.clone().requires_grad_() for x in (weight, bias))
    descent = torch.optim.LBFGS(
        [weight, bias], max_iter=s.iterations, history_size=20, line_search_fn="strong_wolfe"
    )

    def loss() -> Tensor:
        descent.zero_grad()
        total = s.ridge * (weight - first).square().sum()
        total.backward()
        value = total.detach()
        for hidden, tags, tagged in seen:
            logits = hidden.float() @ weight.T + bias
            part = tagging_loss(logits, tags, tagged, s.pieces).sum() / windows
            part.backward()
            value = value + part.detach()
        log.info("loss %.4f", value)
        return value

    before = float(loss())
    descent.step(loss)
    said = {"windows": windows, "loss_before": before, "loss_after": float(loss())}
    return weight.detach(), bias.detach(), said


def refit(s: Settings) -> dict[str, Any]:
    """Replace the layer in a reader's folder; reader.json keeps how. Errors, before anything is
    read: BadCheckpoint where a folder has no layer or theirs differ in size, BadInput for another
    number of biases than three.
    """
    out, source = Path(s.out), Path(s.reader)
    if len(s.tag_bias) != 3:
        raise BadInput(f"--tag-bias takes three numbers, B, I and O, got {len(s.tag_bias)}")
    for folder in (source, out):
        if not (folder / BIO_FILE).is_file():
            raise BadCheckpoint(f"{folder.name} has no {BIO_FILE}: there is no layer to fit anew")
    theirs, own = (load_file(folder / BIO_FILE)["weight"].shape for folder in (source, out))
    if theirs != own:
        raise BadCheckpoint(
            f"the layer of {source.name} is {list(theirs)}, that of {out.name} {list(own)}"
        )
    tokenizer = AutoTokenizer.from_pretrained(s.reader)
    model = load(s.reader, 0.0).eval()
    seen = list(states(s, model, tokenizer))
    weight, bias, said = fit(seen, model.bio.weight.detach(), model.bio.bias.detach(), s)
    write_bio(weight.half(), (bias + torch.tensor(s.tag_bias)).half(), out)
    about = json.loads((out / CARD_FILE).read_text())
    known = {k: v for k, v in asdict(s).items() if k not in ("reader", "out", "train")}
    files = [Path(name).name for name in s.train]
    about["tags_refitted"] = {"train": files, **known, **said}
    (out / CARD_FILE).write_text(json.dumps(about, indent=1) + "\n")
    finish(out, LIMIT)
    return said


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and fit; 2 on a folder or a file that cannot be used."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    settings, _ = parsed(Settings, __doc__, "refit_tags", argv, resumes=False)
    log.info("%s", refit(settings))


if __name__ == "__main__":
    sys.exit(main())
