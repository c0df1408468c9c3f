"""Chapter 9 as plain torch: what the score rested on, by the method that is chosen."""

from qa_demo.core.explaining.attribution import Method, Target
from qa_demo.core.types import Baseline, Window
from qa_demo.figures.code import Shown, opening, select_line, snippet

PARTS = {
    "start_logit": ("s[i]", "0 * e[j]"),
    "end_logit": ("0 * s[i]", "e[j]"),
    "span_score": ("s[i]", "e[j]"),
    "span_minus_null": ("s[i] - s[0]", "e[j] - e[0]"),
}
"""What each target takes from the start logits and from the end logits."""


def why_code(shown: Shown, target: Target, method: Method, baseline: Baseline) -> str:
    """Print F and the positions or words it rested on most."""
    window = shown.reading.windows[shown.window]
    title = f"chapter 9: {method.replace('_', ' ')}"
    how = {
        "integrated_gradients": _integrated(baseline),
        "gradient_x_input": _GRADIENT,
        "leave_one_out": _LEFT_OUT,
    }[method]
    return snippet(
        opening(shown, title),
        [
            select_line(shown),
            "ids, words = torch.tensor(cut.input_ids[k]), model.get_input_embeddings()",
            "more = {n: torch.tensor([cut[n][k]]) for n in tokenizer.model_input_names[1:]}",
            "x, names = words(ids), tokenizer.convert_ids_to_tokens(cut.input_ids[k])",
            "def F(point):  # the start part and the end part of what is explained",
            "    out = model(inputs_embeds=point[None], **more)",
            "    s, e = out.start_logits[0], out.end_logits[0]",
            f"    return {', '.join(parts(target, window))}",
            "print('F = {:.4f} + {:.4f}'.format(*map(float, F(x))))",
        ],
        how,
    )


def parts(target: Target, window: Window) -> tuple[str, str]:
    """The two parts of F as expressions."""
    if target.other is None:
        return PARTS[target.kind]
    i, j = window.to_pos(target.other.start), window.to_pos(target.other.end)
    return f"s[i] - s[{i}]", f"e[j] - e[{j}]"


_SHOW = [
    "for at in rests.sum(0).abs().argsort(descending=True)[:10]:",
    "    print(int(at), names[at], *(f'{float(one[at]):.4f}' for one in rests))",
]
_SLOPES = [
    "def slopes(point):  # of both parts, at one point",
    "    point = point.detach().requires_grad_()",
    "    return torch.stack([torch.autograd.grad(one, point, retain_graph=True)[0]"
    " for one in F(point)])",
]
_GRADIENT = [*_SLOPES, "rests = (slopes(x) * x).sum(-1)", *_SHOW]
_LEFT_OUT = [
    "texts, word = (question, context), []",
    "for part, (a, b) in zip(cut.sequence_ids(k), cut.offset_mapping[k]):",
    "    word.append(None if part is None else (part, len(texts[part][:a + 1].split()) - 1))",
    "rests = {}",
    "for one in dict.fromkeys(w for w in word if w):",
    "    hidden = torch.tensor([w == one for w in word])[:, None]",
    "    mask = words(torch.tensor(tokenizer.mask_token_id))",
    "    lost = [float(a - b) for a, b in zip(F(x), F(torch.where(hidden, mask, x)))]",
    "    rests[one] = lost",
    "for part, n in sorted(rests, key=lambda one: -abs(sum(rests[one])))[:10]:",
    "    print(texts[part].split()[n], *(f'{loss:.4f}' for loss in rests[part, n]))",
]


def _integrated(baseline: Baseline) -> list[str]:
    """Steps grow until the sum is within 2 % of F(x) - F(x0)."""
    base = (
        "torch.zeros_like(x)"
        if baseline == "zero"
        else f"words(torch.tensor(tokenizer.{baseline}_token_id))"
    )
    return [
        *_SLOPES,
        "special = torch.tensor([part is None for part in cut.sequence_ids(k)])[:, None]",
        f"x0 = torch.where(special, x, {base})",
        "change = float(sum(F(x)) - sum(F(x0)))",
        "for steps in (20, 50, 100):  # until the sum is within 2 % of F(x) - F(x0)",
        "    path = [x0 + (at + 0.5) / steps * (x - x0) for at in range(steps)]",
        "    rests = sum(slopes(point) for point in path).mul(x - x0).sum(-1) / steps",
        "    if abs(float(rests.sum()) - change) < 0.02 * abs(change): break",
        "print(f'F(x) - F(x0) = {change:.4f}, the sum is {float(rests.sum()):.4f}, {steps} steps')",
        *_SHOW,
    ]
