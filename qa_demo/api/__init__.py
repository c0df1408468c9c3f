"""The five public calls: over HTTP, by `gradio_client`, and as tools for language models."""

from qa_demo.api.routes import public, routes

__all__ = ["public", "routes"]
