"""Chapter 8 as plain torch: blanks filled by the masked-language and the span boundary head."""

from qa_demo.core.masking.masked import Masked, Pairs
from qa_demo.figures.code import model_name, snippet, text_line

SOURCE = "assets/spanbert"


def spanbert_code(
    text: str,
    masked: Masked,
    source: str,
    name: str,
    positions: int,
    cut: frozenset[str] = frozenset(),
) -> str:
    """Print what both heads say of every blank of a text, and the loss. `positions` are the rows of
    the boundary head's position table.
    """
    boundary = _boundary(masked.pairs(positions), cut)
    return snippet(_opening(text, masked, source, name), boundary, _LOSS)


_LOSS = [
    "losses = {'MLM': [], 'SBO': []}  # masked language model, span boundary objective",
    "for at, heads in said.items():",
    "    print(at, tokenizer.convert_ids_to_tokens(true[at]))",
    "    for name, logits in heads:",
    "        p = torch.softmax(logits.double(), dim=-1)",
    "        losses[name].append(-float(torch.log(p[true[at]])))",
    "        best = [f'{tokenizer.convert_ids_to_tokens(int(x))} {p[x]:.6f}'"
    " for x in p.argsort(descending=True)[:5]]",
    "        print(' ', name, f'{p[true[at]]:.6f}', *best)",
    "mlm, sbo = (sum(losses[name]) for name in ('MLM', 'SBO'))",
    "print(f\"loss = {mlm / len(blanks):.4f} + {sbo / (len(losses['SBO']) + 1):.4f}\")",
]


def _opening(text: str, masked: Masked, source: str, name: str) -> list[str]:
    """Imports, the text with its blanks, and what the masked-language head says of each."""
    where, revision, comment = model_name(source, name, SOURCE, "model")
    shown = {int(at): int(masked.input_ids[at]) for at in masked.hidden}
    return [
        "# Spanlight, chapter 8: what fills the blanks",
        "import torch",
        "from safetensors.torch import load_file",
        "from torch.nn import functional as F",
        "from transformers import AutoModelForMaskedLM, AutoTokenizer",
        f"MODEL = {where}{comment}",
        text_line("text", text),
        f"blanks = {shown}  # the piece that stands at each blank: [MASK], another, or its own",
        f"tokenizer = AutoTokenizer.from_pretrained(MODEL{revision})",
        f"model = AutoModelForMaskedLM.from_pretrained(MODEL, dtype=torch.float32{revision})",
        "model.requires_grad_(False)",
        "true = tokenizer(text, add_special_tokens=False, split_special_tokens=True).input_ids",
        "given = [blanks.get(at, piece) for at, piece in enumerate(true)]",
        "ids = [tokenizer.cls_token_id, *given, tokenizer.sep_token_id]",
        "out = model(input_ids=torch.tensor([ids]), output_hidden_states=True)",
        "said = {at: [('MLM', out.logits[0, at + 1])] for at in blanks}",
    ]


def _boundary(pairs: Pairs, cut: frozenset[str]) -> list[str]:
    """The boundary head on x_(s-1), x_(e+1) and the vector of position k."""
    parts = (pairs.at, pairs.left, pairs.right, pairs.k)
    rows = list(zip(*(part.tolist() for part in parts), strict=True))
    wires = {"left": "x[left]", "right": "x[right]", "position": "sbo['position.weight'][row - 1]"}
    fed = ", ".join(f"sbo['mean_{w}']" if w in cut else read for w, read in wires.items())
    return [
        "sbo = {n: x.float() for n, x in load_file(f'{MODEL}/sbo_head.safetensors').items()}",
        "x, words = out.hidden_states[-1][0, 1:-1], model.get_input_embeddings().weight",
        f"for at, left, right, row in {rows}:  # blank, its two neighbours, its place",
        f"    h = torch.cat([{fed}])",
        "    for n in '12':",
        "        h = F.gelu(F.linear(h, sbo[f'dense{n}.weight'], sbo[f'dense{n}.bias']))",
        "        h = F.layer_norm(h, h.shape, sbo[f'norm{n}.weight'], sbo[f'norm{n}.bias'], 1e-12)",
        "    said[at].append(('SBO', words @ h + sbo['bias']))",
    ]
