"""Records of what somebody sent or saved; what cannot be one is refused in one sentence."""

import re
from collections.abc import Collection
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from qa_demo.core.base import BadInput

M = TypeVar("M", bound=BaseModel)


def read(model: type[M], given: Any, where: str = "") -> M:
    """A record from JSON's values, which stand in a file at `where`. Errors: BadInput, one sentence
    with field, value and what is allowed.
    """
    try:
        return model.model_validate(given)
    except ValidationError as fault:
        said = refusal(fault, model.model_fields)
        raise BadInput(f"{where}: {said}" if where else said) from fault


def refuse_idle(asked: object, where: str, *names: str) -> None:
    """Refuse fields that were given where they change nothing. Errors: BadInput."""
    for name in names:
        if (got := getattr(asked, name)) is not None:
            raise BadInput(f"{name} changes nothing {where}, got {got}; leave it out")


def received(value: Any) -> str:
    """What stands where something else is needed: "got 7", of an object the names of its fields,
    of a long text its length.
    """
    if isinstance(value, dict):
        return f"got the fields {', '.join(map(repr, [*value][:8]))[:120]}" if value else "got {}"
    long = isinstance(value, str) and len(value) > 60
    return f"got {f'{len(value):,} characters' if long else repr(value)[:60]}"


def refusal(fault: ValidationError, known: Collection[str] = ()) -> str:
    """The first fault of a record, whose fields are `known`, as one sentence: field, what is
    allowed, value received.
    """
    first = fault.errors(include_url=False)[0]
    field = repr(".".join(str(part) for part in first["loc"] if part != "[key]"))[1:-1][:60]
    field = "paragraph (context)" if field == "context" else field
    got = received(first["input"])
    if first["type"] == "extra_forbidden":
        other = f"; known are {', '.join(known)}" * (len(first["loc"]) == 1 and bool(known))
        return f"there is no field {field}, {got}{other}"
    if first["type"] == "missing":
        return f"{field} is missing, {got}"
    said = re.sub(r"^(\w+ (?=should )|Value error, )| after validation", "", first["msg"])
    said = re.sub(r"a valid dictionary( or instance of \w+)?", "an object", said)
    said = re.sub(r"\d{4,}", lambda n: f"{int(n[0]):,}", said)
    said = said.replace("should", "must", 1).replace("tuple", "list", 1)
    if not field:  # what is said of a whole record names its fields itself
        return said if first["type"] == "value_error" else f"{said}, {got}"
    return f"{field}: {said}, {got}"
