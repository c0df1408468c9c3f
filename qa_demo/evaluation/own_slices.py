"""Slices of one's own for the report: "name: expression", evaluated by simpleeval, which knows no
import, no assignment and no attribute that begins with an underscore.
"""

import ast
import re
from typing import Any

from simpleeval import InvalidExpression, SimpleEval

from qa_demo.core.base import BadInput
from qa_demo.evaluation.numbers import MINUS, number
from qa_demo.evaluation.slices import Row, Slice, shared_words

FIELDS = {
    "id": "the question's id",
    "question": "the question",
    "context": "the paragraph",
    "title": "its article",
    "gold": "the first right answer, empty without one",
    "golds": "how many right answers are marked",
    "answer": "the reader's answer, empty where it was withheld",
    "kind": "the kind of error",
    "exact": "0 or 1",
    "f1": "0 to 1",
    "claim": "how likely the best span is right",
    "score_diff": "null score minus best score",
    "tokens": "word pieces of the paragraph",
    "windows": "windows",
    "shared": "percent of the question's words in the right answer's sentence",
}
"""What an expression may name, beside the file's own columns."""
PLAIN = tuple(name for name in FIELDS if name not in ("gold", "golds", "answer", "shared"))
"""Those that a line of the file has under the same name."""
FUNCTIONS = {
    "words": lambda text: len(str(text).split()),
    "length": lambda text: len(str(text)),
    "lower": lambda text: str(text).lower(),
    "round": round,
    "min": min,
    "max": max,
    "number": float,
}
OUTCOME = frozenset(("answer", "kind", "exact", "f1", "claim", "score_diff"))
"""Fields that hold what the reader answered."""
_OWN = re.compile(r"\s*([^:]{1,60}?)\s*:\s*(.{1,400}?)\s*", re.DOTALL)


def fields(row: Row) -> dict[str, Any]:
    """What an expression sees of a question."""
    own = {name: value for name, value in row.get("columns", {}).items() if name.isidentifier()}
    return own | {
        **{name: row[name] for name in PLAIN},
        "gold": row["gold"][0]["text"] if row["gold"] else "",
        "golds": len(row["gold"]),
        "answer": row["answer"] or "",
        "shared": shared_words(row),
    }


def own_slice(text: str) -> Slice:
    """A slice of "name: expression": yes and no for a condition, else the value itself; nothing
    where the value is None. Errors: BadInput, when it is made for what is no such text, and for a
    question on which the expression has no value.
    """
    match = _OWN.fullmatch(text)
    if match is None:
        raise BadInput(
            f"--slice needs 'name: expression', such as 'short: words(question) < 6', got "
            f"{text[:60]!r}"
        )
    title, expression = match.groups()
    try:
        parsed = ast.parse(
            expression, mode="eval"
        )  # simpleeval would take the value of "a = 1" or "a; b"
    except (SyntaxError, ValueError) as fault:
        raise BadInput(f"--slice {title!r} is no expression: {_first(fault)}") from fault

    def name(row: Row) -> str | None:
        known = fields(row)
        try:
            found = SimpleEval(names=known, functions=FUNCTIONS).eval(expression)
        except (InvalidExpression, ArithmeticError, TypeError, ValueError, AttributeError) as fault:
            raise BadInput(
                f"--slice {title!r} has no value for question {row['id'][:40]!r}: {_first(fault)}; "
                f"an expression may name {', '.join(known)} and call {', '.join(FUNCTIONS)}"
            ) from fault
        return _said(found)

    names = {node.id for node in ast.walk(parsed) if isinstance(node, ast.Name)}
    return Slice(title, name, f"Your own rule: {expression}", outcome=bool(names & OUTCOME))


def _first(fault: Exception) -> str:
    return str(fault).splitlines()[0][:120] if str(fault) else type(fault).__name__


def _said(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)[:60].replace("-", MINUS)
    return number(value, 2) if isinstance(value, float) else str(value)[:60]
