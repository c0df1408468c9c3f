"""What every call takes and gives, as an OpenAPI document for any HTTP client.

Gradio's own describes its upload route, which this page refuses, calls every result a text, and
bears gradio's version.
"""

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from qa_demo import __version__
from qa_demo.views.api.fields import allowed

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
_PLAIN: dict[Any, Schema] = {str: TEXT, int: WHOLE, float: NUMBER, bool: {"type": "boolean"}}


def many(items: Schema) -> Schema:
    """A list."""
    return {"type": "array", "items": items}


def maybe(schema: Schema) -> Schema:
    """The same, or null."""
    return {**schema, "nullable": True}


def record(**fields: Schema) -> Schema:
    """An object that always has exactly these fields."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


_PLACE = {"char_start": WHOLE, "char_end": WHOLE}
_PLACED = {"text": TEXT, **_PLACE}
_WINDOWS = many(record(index=WHOLE, doc_start=WHOLE, doc_stop=WHOLE, tokens=WHOLE))
_TERMS = many(record(name=TEXT, value=NUMBER, weight=NUMBER, over=NUMBER))
_LOGITS = {"start_logit": NUMBER, "end_logit": NUMBER, "score": NUMBER}
_GUESSES = maybe(many(record(piece=TEXT, p=NUMBER)))
_HEADS = ("mlm", "sbo", "both")
_RESULTS: Mapping[str, Schema] = {
    "read": record(
        question=TEXT,
        reader=TEXT,
        answer=maybe(TEXT),
        **{name: maybe(schema) for name, schema in {**_PLACE, **_LOGITS}.items()},
        null_score=NUMBER,
        score_diff=maybe(NUMBER),
        limit=maybe(NUMBER),
        claim=maybe(NUMBER),
        answerable=maybe(NUMBER),
        right_if_answerable=maybe(NUMBER),
        n_best=many(record(**_PLACED, window=WHOLE, **_LOGITS, share=NUMBER)),
        windows=_WINDOWS,
    ),
    "attribute": record(
        question=TEXT,
        reader=TEXT,
        method=TEXT,
        target=TEXT,
        span=record(**_PLACED),
        other=maybe(record(**_PLACED)),
        window=WHOLE,
        baseline=maybe(TEXT),
        tokens=many(
            record(
                text=TEXT,
                side=TEXT,
                char_start=maybe(WHOLE),
                char_end=maybe(WHOLE),
                start=NUMBER,
                end=NUMBER,
            )
        ),
        sum=NUMBER,
        f_x=NUMBER,
        f_baseline=maybe(NUMBER),
        gap=maybe(NUMBER),
        n_steps=WHOLE,
    ),
    "loss": record(
        question=TEXT,
        reader=TEXT,
        normaliser=TEXT,
        gold=many(maybe(record(**_PLACED, whole_in=WHOLE))),
        terms=_TERMS,
        total=NUMBER,
        windows=_WINDOWS,
    ),
    "tag": record(
        question=TEXT,
        reader=TEXT,
        decoding=TEXT,
        spans=many(record(**_PLACED, marginal=NUMBER)),
        tokens=many(record(**_PLACED, B=NUMBER, I=NUMBER, O=NUMBER)),
    ),
    "infill": record(
        text=TEXT,
        model=TEXT,
        pieces=many(
            record(
                **_PLACED,
                position=maybe(WHOLE),
                run=many(WHOLE),
                fate=TEXT,
                **dict.fromkeys(_HEADS, _GUESSES),
                **{f"true_rank_{head}": maybe(WHOLE) for head in _HEADS},
                no_sbo=maybe(TEXT),
            )
        ),
        terms=_TERMS,
        total=NUMBER,
        paper_terms=_TERMS,
        paper_total=NUMBER,
    ),
}
_COLUMNS = {"logit": NUMBER, "p": NUMBER, "t": maybe(NUMBER), "slope": maybe(NUMBER)}
_BENCH = record(
    positions=many(
        record(
            window=WHOLE,
            position=WHOLE,
            token=TEXT,
            **{
                f"{side}_{name}": schema
                for side in ("start", "end")
                for name, schema in _COLUMNS.items()
            },
        )
    ),
    read=_RESULTS["read"],
    loss=maybe(_RESULTS["loss"]),
    tag=maybe(_RESULTS["tag"]),
)
RESULTS = {
    name: record(
        **schema["properties"], seconds=record(tokenise=NUMBER, queue=NUMBER, model=NUMBER)
    )
    for name, schema in {**_RESULTS, "bench": _BENCH}.items()
}
"""What a call gives, by its name, and the seconds it cost; a test holds every reply against it."""
FAULT = record(error=TEXT)


def sentence_of(function: Callable[..., Any]) -> str:
    """What a call does: the first sentence of its docstring."""
    return " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())


def body_of(function: Callable[..., Any]) -> Schema:
    """What a call takes, by the names of its fields."""
    parameters = inspect.signature(function).parameters
    body = record(**{key: _schema(one) for key, one in parameters.items()})
    body["required"] = [
        key for key, one in parameters.items() if one.default is inspect.Parameter.empty
    ]
    return body


def json_schema(schema: Schema) -> Schema:
    """The same in JSON Schema, which writes OpenAPI's `nullable` as a second type."""
    found = {key: value for key, value in schema.items() if key != "nullable"}
    if "properties" in found:
        found["properties"] = {k: json_schema(v) for k, v in found["properties"].items()}
    if "items" in found:
        found["items"] = json_schema(found["items"])
    if schema.get("nullable"):
        found["type"] = [found["type"], "null"]
    return found


def document(calls: Mapping[str, Callable[..., Any]], results: Mapping[str, Schema]) -> Schema:
    """The OpenAPI document of these calls."""
    paths: Schema = {}
    for name, function in calls.items():
        paths[f"/gradio_api/call/v2/{name}"] = {"post": _begin(name, function)}
        paths[f"/gradio_api/call/{name}/{{event_id}}"] = {"get": _fetch(name, results[name])}
    paths["/health"] = {"get": _health()}
    return {
        "openapi": "3.0.3",
        "info": {
            "title": "Spanlight",
            "version": __version__,
            "description": "A call is begun with POST, which gives an event_id, and its result is "
            "fetched with GET: a stream of events, whose last one is `complete` or `error`.",
        },
        "paths": paths,
    }


def _begin(name: str, function: Callable[..., Any]) -> Schema:
    body = {"application/json": {"schema": body_of(function)}}
    return {
        "summary": sentence_of(function),
        "description": inspect.getdoc(function) or name,
        "operationId": name,
        "requestBody": {"required": True, "content": body},
        "responses": {
            "200": _json("The call has begun", record(event_id=TEXT)),
            "422": _json("A field is missing or unknown", FAULT),
        },
    }


def _fetch(name: str, result: Schema) -> Schema:
    one = {**many(result), "minItems": 1, "maxItems": 1}
    return {
        "summary": f"Fetch the result of {name}, once",
        "description": "`data` of the event `complete` is a JSON list that holds the result; "
        "`data` of the event `error` is an object with the sentence under `error`.",
        "operationId": f"{name}_result",
        "parameters": [{"name": "event_id", "in": "path", "required": True, "schema": TEXT}],
        "responses": {
            "200": {
                "description": "What stands behind `data:` of the event `complete`",
                "content": {"text/event-stream": {"schema": one}},
            },
            "404": _json("There is no such result", FAULT),
        },
    }


def _health() -> Schema:
    status = {"type": "string", "enum": ["loading", "failing"]}
    well = record(status={"type": "string", "enum": ["ok"]}, failures=WHOLE)
    return {
        "summary": "Whether this server can answer",
        "description": "Costs nothing while all is well; after an unexpected failure the reader "
        "reads one short text.",
        "operationId": "health",
        "responses": {
            "200": _json("It can; `failures` counts unexpected ones so far", well),
            "503": _json("It loads, or cannot read", record(status=status, error=TEXT)),
        },
    }


def _json(description: str, schema: Schema) -> Schema:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _schema(parameter: inspect.Parameter) -> Schema:
    """The schema of a parameter from its annotation, with what it may hold and its default."""
    found = allowed(parameter.name, _typed(parameter.annotation))
    if parameter.default is inspect.Parameter.empty:
        return found
    return {**found, "default": parameter.default}


def _typed(annotation: Any) -> Schema:
    if typing.get_origin(annotation) in (types.UnionType, typing.Union):
        (inner,) = [one for one in typing.get_args(annotation) if one is not type(None)]
        return maybe(_typed(inner))
    if typing.get_origin(annotation) is list:
        return many(_typed(typing.get_args(annotation)[0]))
    return _PLAIN[annotation]
