"""Chapter 5 as plain torch: what training lowers."""

from qa_demo.core.learning.losses import Golds
from qa_demo.figures.code import LOG_P, Shown, doc, opening, run_lines, snippet


def loss_code(shown: Shown, golds: Golds) -> str:
    """Print the loss of the labels in use, and what each window adds to it."""
    spans = [None if gold is None else (gold.start, gold.end) for gold in golds] or [None]
    return snippet(
        opening(shown, "chapter 5: loss = -1/2 log P(start) - 1/2 log P(end) of the label"),
        run_lines(shown),
        [
            LOG_P,
            f"golds = {spans}  # first and last word piece of each annotator's answer",
            "losses = []",
            "for w, (s, e, inside, _) in enumerate(windows):",
            "    at = np.flatnonzero(inside)",
            f"    piece = {{{doc(shown, 'x')}: x for x in at}}",
            "    held = [g if g and g[0] in piece and g[1] in piece else None for g in golds]",
            "    start = np.mean([-log_p(s)[piece[g[0]] if g else 0] for g in held])",
            "    end = np.mean([-log_p(e)[piece[g[1]] if g else 0] for g in held])",
            "    print(f'window {w + 1}: start {start:.4f}, end {end:.4f}')",
            "    losses.append((start, end))",
            "start, end = np.mean(losses, axis=0) / 2",
            "print(f'loss = {start:.4f} + {end:.4f} = {start + end:.4f}')",
        ],
    )
