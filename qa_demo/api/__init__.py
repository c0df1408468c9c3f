"""The five public calls: over HTTP, by `gradio_client`, as tools, from Python."""
