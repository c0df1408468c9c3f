"""Chapter 7 as plain torch: a head that tags every word piece."""

from qa_demo.core.errors import BadInput
from qa_demo.figures.code import Shown, opening, owner_lines, snippet

IMPORTS = ("from safetensors.torch import load_file", "from transformers.utils import cached_file")


def bio_code(shown: Shown) -> str:
    """Print B, I, O of the selection and of every tagged piece. Errors: BadInput without a head."""
    if shown.reading.tag_logits is None:
        raise BadInput("this reader has no BIO head, so there are no tags to print")
    step, span = shown.reading.options.doc_stride, shown.span
    last = f"range({span.start}, {span.end + 1})"
    return snippet(
        opening(shown, "chapter 7: p_i = softmax(W h_i + b)", *IMPORTS),
        owner_lines(shown),
        [
            "head = load_file(cached_file(READER, 'bio_head.safetensors'))",
            "W, b = (head[name].double() for name in ('weight', 'bias'))",
            "rows, names = np.zeros((seen.shape[1], 3)) + (0, 0, 1), [''] * seen.shape[1]",
            "for w, ids in enumerate(cut.input_ids):",
            "    inputs = {n: torch.tensor([cut[n][w]]) for n in tokenizer.model_input_names}",
            "    h = model.base_model(**inputs)[0][0].double()",
            "    p = torch.softmax(h @ W.T + b, dim=-1).numpy()",
            "    at = [x for x, part in enumerate(cut.sequence_ids(w)) if part == 1]",
            "    for x in at:",
            f"        piece = x - at[0] + {step} * w",
            "        if seen[:, piece].argmax() == w:",
            "            rows[piece], names[piece] = p[x], tokenizer.convert_ids_to_tokens(ids[x])",
            "print('B, I, O of the selected pieces, then of all that are tagged B or I')",
            "tagged = np.flatnonzero(rows.argmax(axis=1) != 2)",
            f"for piece in [*{last}, *tagged]:",
            "    print(piece, names[piece], *(f'{x:.6f}' for x in rows[piece]))",
        ],
    )
