"""Where the page listens, checked before anything is loaded, and what others type to reach it."""

import errno
import os
import socket
import sys

import segno

from qa_demo.core.base import BadInput

LOCAL, EVERYWHERE = "127.0.0.1", "0.0.0.0"
FIRST_PORT, PORTS = 7860, 100
"""The first port that is tried, and how many of them, where none is named."""
LARGEST_PORT = 65_535


def port_of(text: str) -> int:
    """A port as it was typed; 0 leaves the choice to the system. Errors: BadInput."""
    if not (text.isascii() and text.isdecimal()) or len(text) > 9 or int(text) > LARGEST_PORT:
        raise BadInput(f"a port is a number from 0 to {LARGEST_PORT}, got {text[:20]!r}")
    return int(text)


def free_address(host: str | None, port: int | None) -> tuple[str, int]:
    """The host and the port to listen on; without a port the first free one from `FIRST_PORT`.

    Not named, both come from GRADIO_SERVER_NAME and GRADIO_SERVER_PORT, as a Space sets them.
    Errors: BadInput for a host that is no address of this machine, and for a port that is taken.
    """
    name = (host or os.environ.get("GRADIO_SERVER_NAME") or LOCAL).strip("[]")
    if port is None and "GRADIO_SERVER_PORT" in os.environ:
        port = port_of(os.environ["GRADIO_SERVER_PORT"])
    shown = f"[{name}]" if ":" in name else name
    if port is not None:
        return shown, _bind(name, port)
    for one in range(FIRST_PORT, FIRST_PORT + PORTS):
        try:
            return shown, _bind(name, one)
        except TakenPort:
            continue
    raise BadInput(
        f"all ports from {FIRST_PORT} to {FIRST_PORT + PORTS - 1} are taken; name another one "
        f"with --port"
    )


def network_address() -> str:
    """This machine's address in its network, which others type. Errors: BadInput without one."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            # chooses the way out and sends nothing: the address is one that nobody has
            probe.connect(("198.51.100.1", 9))
            found = str(probe.getsockname()[0])
    except OSError as fault:
        raise BadInput(
            "this machine is in no network that others could reach it by; join one and start again"
        ) from fault
    if found.startswith("127."):
        raise BadInput("this machine knows only itself (127.0.0.1); join a network and start again")
    return found


def own_names(port: int) -> frozenset[str]:
    """What a browser may call this machine; any other name is another page's leading here."""
    name = socket.gethostname().lower()
    hosts = {LOCAL, "localhost", network_address(), name, f"{name.removesuffix('.local')}.local"}
    ends = ("", ":80") if port == 80 else (f":{port}",)  # browsers leave port 80 out
    return frozenset(f"{host}{end}" for host in hosts for end in ends)


def show(address: str) -> None:
    """Draw an address as a QR code on a terminal; nothing where stdout is none."""
    if sys.stdout.isatty() and (sys.stdout.encoding or "").lower().startswith("utf"):
        segno.make(address, error="m", micro=False).terminal(out=sys.stdout, compact=True)


class TakenPort(BadInput):
    """Another program listens on this port."""


def _bind(host: str, port: int) -> int:
    """Bind to the address and let it go again; the port, chosen by the system for 0."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as fault:
        raise _no_address(host) from fault
    try:
        with socket.socket(family, kind, protocol) as probe:
            if os.name == "posix":  # elsewhere this option lets two programs share a port
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            found = int(probe.getsockname()[1])
        if host != LOCAL:  # gradio asks for this port there too
            return _bind(LOCAL, found)
        return found
    except OSError as fault:
        raise _refused(fault, host, port) from fault


def _no_address(host: str) -> BadInput:
    return BadInput(
        f"the host must be an address of this machine, such as {LOCAL}, got {host[:80]!r}"
    )


def _refused(fault: OSError, host: str, port: int) -> BadInput:
    if fault.errno == errno.EADDRINUSE:
        return TakenPort(
            f"port {port} is taken by another program; name another one with --port, or leave out "
            f"--port and GRADIO_SERVER_PORT"
        )
    if fault.errno == errno.EACCES:
        return BadInput(f"this user may not open port {port}; name one from 1024 on with --port")
    if fault.errno == errno.EADDRNOTAVAIL:
        return _no_address(host)
    return BadInput(f"{host} cannot be opened at port {port}: {fault.strerror}")
