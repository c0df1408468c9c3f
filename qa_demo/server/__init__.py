"""What stands around the page: start, guard, answers, gradio's page, launch."""
