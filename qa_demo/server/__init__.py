"""What stands around the page: guard, answers, gradio's page, launch."""
