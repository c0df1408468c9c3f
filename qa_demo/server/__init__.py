"""What stands around the page: address, guard, gradio's page, launch.

No chapter and no model: `qa_demo.app` hands both in.
"""
