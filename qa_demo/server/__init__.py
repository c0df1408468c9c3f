"""What stands around the page: start, guard, gradio's page, launch."""
