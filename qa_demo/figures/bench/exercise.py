"""The reader for a pencil: what each cell asks, how it is found, which slip gives what."""

from typing import Any

from qa_demo.core.course.pencil import Pencil


def pencil_data(exercise: Pencil, number_of: int) -> dict[str, Any]:
    """The exercise: what each cell asks and should hold, a hint, slips with their wrong numbers."""
    return {
        "n": number_of,
        "tokens": list(exercise.tokens),
        "T": exercise.T.tolist(),
        "S": exercise.S.tolist(),
        "E": exercise.E.tolist(),
        "bias": [exercise.b_S, exercise.b_E],
        "gold": list(exercise.gold),
        "pairs": [list(p) for p in exercise.pairs()],
        "cells": [
            {
                "name": c.name,
                "asks": c.asks,
                "hint": c.hint,
                "value": c.value,
                "decimals": c.decimals,
                "slips": [[text, value] for text, value in exercise.slips(c.name)],
            }
            for c in exercise.cells()
        ],
    }
