"""Answer types by spaCy's small English model, for the report, where both are installed."""

from collections.abc import Sequence
from typing import Any

from qa_demo.cli.shared import Progress
from qa_demo.core.base import BadInput
from qa_demo.evaluation.slices import Row, Slice, first_gold

NONE = "no entity"


def entity_types(rows: Sequence[Row]) -> tuple[Slice, ...]:
    """A slice by the kind of entity (PERSON, DATE, ...) that shares most characters with the first
    gold answer that has a place; none where en_core_web_sm is not installed. Errors: BadInput where
    it is broken.
    """
    try:
        import en_core_web_sm
    except ImportError as fault:
        if fault.name == "en_core_web_sm":
            return ()
        raise BadInput(f"en_core_web_sm is installed and cannot be loaded: {fault}") from fault
    model = en_core_web_sm.load(exclude=["tagger", "parser", "attribute_ruler", "lemmatizer"])
    contexts = list(dict.fromkeys(row["context"] for row in rows if first_gold(row)))
    told, found = Progress("spaCy: paragraph"), {}
    for k, (text, read) in enumerate(zip(contexts, model.pipe(contexts), strict=True), 1):
        found[text] = [(e.start_char, e.end_char, e.label_) for e in read.ents]
        told(k, len(contexts))
    says = f"spaCy's en_core_web_sm {model.meta['version']}: the entity that the answer is part of."
    return (Slice("Type of the right answer", lambda row: _type(row, found), says),)


def _type(row: Row, entities: dict[str, list[tuple[int, int, str]]]) -> str | None:
    gold: dict[str, Any] | None = first_gold(row)
    if gold is None:
        return None
    start, end = gold["char_start"], gold["char_start"] + len(gold["text"])
    shared = [(min(b, end) - max(a, start), name) for a, b, name in entities[row["context"]]]
    most, name = max(shared, default=(0, NONE), key=lambda one: one[0])
    return name if most > 0 else NONE
