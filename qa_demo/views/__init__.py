"""The page: the frame, what chapters share, and a folder for each chapter.

`present` is pure, `build` is wiring, a handler maps a Screen to a Screen; slow work has one queue.
Imports core, figures and gradio: never torch, and no chapter imports another.
"""
