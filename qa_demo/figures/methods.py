"""How the explanation methods are called, and when two of their rankings are called alike."""

from qa_demo.core.explaining.attribution import Method

METHOD_NAMES: dict[Method, str] = {
    "gradient_x_input": "gradient × input",
    "integrated_gradients": "integrated gradients",
    "leave_one_out": "leave one word out",
}
ALIKE = 0.5
"""Two rankings with a larger correlation than this are called alike."""
