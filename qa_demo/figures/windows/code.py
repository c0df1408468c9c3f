"""Chapter 6 as plain torch: what each window finds, and which answer the merge rule takes."""

from qa_demo.figures.code import Shown, answer_lines, searched, snippet, value_of


def windows_code(shown: Shown) -> str:
    """Print every window's part of the paragraph, null score and best span, and the answer."""
    merge, step = shown.merge, shown.reading.options.doc_stride
    return snippet(
        searched(
            shown,
            "chapter 6: windows, and how they are merged",
            f"    print(f'window {{w + 1}}: from piece {{{step} * w}}, {{inside.sum()}} pieces,"
            " null {s[0] + e[0]:.4f}', end='')",
            "    best = found[0] if found else (0, 0, 0, 0)  # of the spans that count here",
            "    print(f', best {s[best[2]] + e[best[3]]:.4f}',"
            " context[chars[best[2]][0]:chars[best[3]][1]])",
        ),
        answer_lines(shown),
        [f"print(f'{merge.copies}, {merge.scale}, {merge.null}: {{{value_of(shown)}:.6f}}')"],
    )
