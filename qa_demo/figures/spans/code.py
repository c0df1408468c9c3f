"""Chapter 4 as plain torch: every pair of positions, the best of them, and where the mass lies."""

from qa_demo.figures.code import Shown, owner, searched, select_line, snippet, value_of


def spans_code(shown: Shown) -> str:
    """Print score(i, j), the listed spans, and the four parts of the pairs' mass."""
    warm, legal = shown.warm, f"(y <= x) & (x < y + {shown.decode.max_answer_length})"
    if shown.owned:
        legal += f" & ({owner(shown, 'y', 'k')} == k)"
    return snippet(
        searched(shown, "chapter 4: score(i, j) = s_i + e_j"),
        [
            "for r, w, x, y in listed:",
            f"    print(f'{{{value_of(shown)}:.4f}}',"
            " context[windows[w][3][x][0]:windows[w][3][y][1]])",
            select_line(shown),
            "s, e, inside, _ = windows[k]",
            "print(f'score({i}, {j}) = {s[i]:.4f} + {e[j]:.4f} = {s[i] + e[j]:.4f}')",
            f"mass = np.exp(np.add.outer(log_p(s{warm}), log_p(e{warm})))",
            "both, (y, x) = np.outer(inside, inside), np.indices(mass.shape)",
            f"legal = both & {legal}",
            "parts = mass[legal], mass[0, 0], mass[~both][1:], mass[both & ~legal]",
            "print('legal, no answer, mixed, illegal:', *(f'{one.sum():.6f}' for one in parts))",
        ],
    )
