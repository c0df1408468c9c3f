"""The flags of the command that opens the page, and the parser of every command line here."""

import argparse
from pathlib import Path
from typing import NoReturn

from qa_demo import __version__
from qa_demo.core.base import BadInput
from qa_demo.server.address import port_of

BUNDLED = "bundled"


class OneSentence(argparse.ArgumentParser):
    """A parser whose complaint is one sentence, without the usage block before it."""

    def error(self, message: str) -> NoReturn:
        """Write the complaint to stderr and leave with code 2."""
        self.exit(2, f"{self.prog}: {message}; {self.prog} --help lists what is allowed\n")


def parser() -> OneSentence:
    """The flags of the command."""
    flags = OneSentence(
        prog="spanlight", description="Open the page on which one sees how a reader answers."
    )
    flags.add_argument("--version", action="version", version=f"spanlight {__version__}")
    flags.add_argument(
        "--lan",
        action="store_true",
        help="open the page for everybody on this network, and show the address as a QR code",
    )
    flags.add_argument(
        "--reader",
        default=BUNDLED,
        help="bundled, large, a folder, or a Hugging Face id with @revision",
    )
    flags.add_argument(
        "--base",
        type=Path,
        metavar="FOLDER",
        help="the encoder that the reader large changes; default: its revision of Hugging Face",
    )
    flags.add_argument(
        "--lessons",
        type=Path,
        metavar="FOLDER",
        help="lessons of your own beside those of the page; see docs/teaching.md",
    )
    flags.add_argument(
        "--calibration",
        type=Path,
        help="threshold and calibration that `python -m qa_demo calibrate` wrote for the reader",
    )
    flags.add_argument(
        "--host",
        default=None,
        help="address to listen on; default 127.0.0.1, or GRADIO_SERVER_NAME",
    )
    flags.add_argument(
        "--port", type=_port, help="default: GRADIO_SERVER_PORT, or the first free port from 7860"
    )
    return flags


def _port(text: str) -> int:
    try:
        return port_of(text)
    except BadInput as fault:
        raise argparse.ArgumentTypeError(str(fault)) from fault
