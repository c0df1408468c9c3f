"""Chapter 1 as plain torch: the answer, and what the score of the selected span means."""

from qa_demo.figures.code import Shown, answer_lines, searched, select_line, snippet


def answer_code(shown: Shown) -> str:
    """Print the four numbers of the selected span, and the answer."""
    value = "np.log(one[0])" if shown.merge.scale == "context_mean" else "one[0]"
    p = f"np.exp(log_p(s{shown.warm})[i] + log_p(e{shown.warm})[j])"
    return snippet(
        searched(shown, "chapter 1: what the score of a span means"),
        answer_lines(shown),
        [
            select_line(shown),
            "s, e, inside, chars = windows[k]",
            "print('selected:', context[chars[i][0]:chars[j][1]])",
            "print(f'score: {s[i]:.4f} + {e[j]:.4f} = {s[i] + e[j]:.4f}')",
            "print(f'score against no answer: {s[i] + e[j] - null:.4f}')",
            f"print(f'probability in its window: {{{p}:.6f}}')",
            f"share = np.exp(log_p(np.array([{value} for one in listed])))",
            "print('share among the listed:', dict(zip([one[1:] for one in listed], share))"
            ".get((k, i, j)))",
        ],
    )
