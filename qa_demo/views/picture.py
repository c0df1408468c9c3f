"""One linked picture: data out as a prop, clicks back as events; the only gr.HTML."""

from typing import Any

import gradio as gr
import orjson

# The template is a literal without a placeholder: gr.HTML runs `${...}` in template values as
# JavaScript, so no text may reach it.
# `trigger("select", {index: [window, start, end], value: origin})`, `trigger("input", {index: name,
# value})`.
_LOAD = """
const at = new URL('static/page/page.js', document.baseURI).href;
import(at).then((page) => page.mount(element, props, trigger, watch));
"""


def as_text(value: Any) -> str:
    """A picture's value as JSON text, the form in which it travels. Gradio's client copies all
    properties of a component whenever an event that may change it begins, goes on or ends, number
    by number where they are an object: that was half the work of opening a chapter. "<" is escaped,
    since gradio looks for scripts in the text of a gr.HTML.
    """
    return orjson.dumps(value).decode().replace("<", "\\u003c")


def picture(
    kind: str,
    value: dict[str, Any] | None = None,
    *,
    elem_id: str,
    elem_classes: list[str] | None = None,
) -> gr.HTML:
    """A gr.HTML whose content is drawn by `assets/page/main.js` from `value`."""
    return gr.HTML(
        value=as_text(value or {}),
        kind=kind,
        elem_id=elem_id,
        elem_classes=["picture", *(elem_classes or [])],
        html_template="<div class='mount'></div>",
        js_on_load=_LOAD,
        apply_default_css=False,
    )
