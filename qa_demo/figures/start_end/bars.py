"""Chapter 3 as bars: both distributions over the positions of one window, drawn by plotly."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from qa_demo.core.types import Reading
from qa_demo.figures.distributions import distributions
from qa_demo.figures.numbers import number
from qa_demo.figures.pack import printable

if TYPE_CHECKING:
    import plotly.graph_objects as go


def label(text: str) -> str:
    """A token for plotly, which reads labels as a little HTML: `<s>` would vanish."""
    return escape(printable(text), quote=False) or "\u2423"


def bar_figure(reading: Reading, window: int, temperature: float = 1.0) -> "go.Figure":
    """Both distributions over the positions of one window: start bars up, end bars down, one axis
    of positions.

    x is the position, never the token: repeated tokens would fall together. Colours are the theme's
    and set in the browser.
    """
    import plotly.graph_objects as go  # only this picture needs it

    tokens = [label(t) for t in reading.tokens(window)]
    at = np.arange(len(tokens))
    figure = go.Figure()
    rows, shares = reading.logits(window), distributions(reading, window, temperature)
    for side, axis, logits, p in zip(("start", "end"), ("y", "y2"), rows, shares, strict=True):
        figure.add_trace(
            go.Bar(
                name=side,
                x=at,
                y=p.astype(np.float32),
                yaxis=axis,
                customdata=[[t, number(x, 3)] for t, x in zip(tokens, logits, strict=True)],
                hovertemplate=f"%{{customdata[0]}}<br>pos %{{x}}<br>{side}_logit "
                f"%{{customdata[1]}}<br>P({side}) = %{{y:.4f}}<extra></extra>",
            )
        )
    figure.update_layout(**_bar_layout(tokens))
    return figure


def _bar_layout(tokens: Sequence[str]) -> dict[str, Any]:
    """Two axes of probabilities, one upside down, over one axis of positions."""
    transparent, at = "rgba(0,0,0,0)", list(range(len(tokens)))
    return {
        "template": "none",
        "paper_bgcolor": transparent,
        "plot_bgcolor": transparent,
        "showlegend": False,
        "bargap": 0.3,
        "dragmode": "zoom",
        "hovermode": "closest",
        "height": 340,
        "margin": {"l": 56, "r": 8, "t": 8, "b": 88},
        "xaxis": {
            "tickmode": "array",
            "tickvals": at,
            "ticktext": list(tokens),
            "tickangle": -90,
            "anchor": "y2",
            "zeroline": False,
            "showgrid": False,
            "range": [-0.5, len(tokens) - 0.5],
        },
        "yaxis": {
            "title": {"text": "P(start)"},
            "domain": [0.5, 1.0],
            "rangemode": "tozero",
            "fixedrange": True,
            "zeroline": False,
        },
        "yaxis2": {
            "title": {"text": "P(end)"},
            "domain": [0.0, 0.5],
            "autorange": "reversed",
            "rangemode": "tozero",
            "fixedrange": True,
            "zeroline": False,
        },
    }
