"""The checks by the names that lessons use."""

from qa_demo.figures.lessons import (
    failing,
    heads,
    learning,
    long_text,
    loss,
    no_answer,
    spans,
    trusting,
    why,
)
from qa_demo.figures.lessons.finding import Check

MODULES = (spans, no_answer, learning, loss, long_text, heads, failing, why, trusting)
CHECKS = {
    name: found
    for module in MODULES
    for name, found in vars(module).items()
    if isinstance(found, Check)
}
