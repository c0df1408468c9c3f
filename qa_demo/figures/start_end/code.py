"""Chapter 3 as plain torch: the two distributions over a window."""

from qa_demo.figures.code import LOG_P, Shown, opening, run_lines, select_line, snippet


def start_end_code(shown: Shown) -> str:
    """Print P(start) and P(end) of the selected span, and the most probable tokens of both."""
    return snippet(
        opening(shown, "chapter 3: P(start = i) = exp(s_i) / sum_k exp(s_k)"),
        run_lines(shown),
        [
            LOG_P,
            select_line(shown),
            "tokens = tokenizer.convert_ids_to_tokens(cut.input_ids[k])",
            "for name, at, logits in (('start', i, windows[k][0]), ('end', j, windows[k][1])):",
            f"    p = np.exp(log_p(logits{shown.warm}))",
            "    print(f'P({name} at {tokens[at]}) = {p[at]:.6f}, logit {logits[at]:.4f}')",
            "    for x in np.argsort(-p, kind='stable')[:5]:",
            "        print(f'  {x} {tokens[x]}: {p[x]:.6f}')",
        ],
    )
