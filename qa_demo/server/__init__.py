"""What stands around the page: address, guard, requests held and joined, launch.

Gradio, starlette and the standard library.
No chapter and no model: `qa_demo.app` hands both in.
"""
