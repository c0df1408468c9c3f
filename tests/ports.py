"""A port of this machine that nothing listens on."""

import socket


def free_port() -> int:
    """The operating system's choice."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
