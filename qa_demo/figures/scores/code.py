"""Chapter 2 as plain torch: two vectors read every token."""

from qa_demo.figures.code import Shown, opening, select_line, snippet


def scores_code(shown: Shown) -> str:
    """Print S . T_i + b_S and E . T_j + b_E of the selected span, with the largest products."""
    return snippet(
        opening(shown, "chapter 2: s_i = S . T_i + b_S and e_j = E . T_j + b_E"),
        [
            select_line(shown),
            "inputs = {n: torch.tensor([cut[n][k]]) for n in tokenizer.model_input_names}",
            "T = model.base_model(**inputs)[0][0].double().numpy()  # the last hidden states",
            "(S, E), (b_S, b_E) = (x.double().numpy() for x in model.qa_outputs.parameters())",
            "print('S and E have', len(S), 'dimensions')",
            "turn = S @ E / np.linalg.norm(S) / np.linalg.norm(E)",
            "print(f'angle between them: {np.degrees(np.arccos(turn)):.2f}')",
            "for name, vector, bias, at in (('start', S, b_S, i), ('end', E, b_E, j)):",
            "    token = tokenizer.convert_ids_to_tokens(cut.input_ids[k][at])",
            "    products = vector * T[at]",
            "    print(f'{name} at {token}: {products.sum():.4f} + {bias:.4f}"
            " = {products.sum() + bias:.4f}')",
            "    for d in np.argsort(-np.abs(products), kind='stable')[:8]:",
            "        print(f'  dimension {d}: {vector[d]:.4f} * {T[at, d]:.4f}"
            " = {products[d]:.4f}')",
        ],
    )
