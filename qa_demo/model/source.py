"""What a reader's name means (bundled, folder, hub id) and what a host allows."""

import re
from dataclasses import dataclass
from pathlib import Path

from qa_demo.core.base import BadInput, ModelUnavailable
from qa_demo.core.store import READERS

_HUB = re.compile(
    r"([A-Za-z0-9][\w.-]{0,95})/([A-Za-z0-9_][\w.-]{0,95})(?:@([A-Za-z0-9_][\w./-]{0,99}))?",
    re.ASCII,
)
FORMS = (
    "allowed are 'bundled', 'large' and a Hugging Face id such as owner/name or owner/name@revision"
)


@dataclass(frozen=True)
class HostLimits:
    """What a host lets its users load; None means no limit."""

    local_folders: bool = True
    hub: bool = True
    allowed: tuple[str, ...] | None = None
    """The fixed list of a public host; None means any source of the kinds above."""
    max_parameters: int | None = None
    use_token: bool = True
    """Whether hub calls may use the host's own token, which a public host must not lend."""
    seconds: float = 600.0
    base: Path | None = None
    """The folder of the encoder that an adapter changes, where it is not fetched from the hub."""


LOOPBACK = HostLimits()
LAN = HostLimits(local_folders=False, hub=False, use_token=False)
"""A teacher's machine that a class can reach: nothing is downloaded or read from it for others."""
PUBLIC = HostLimits(local_folders=False, max_parameters=150_000_000, use_token=False, seconds=120.0)


@dataclass(frozen=True)
class Source:
    """A parsed reader name: kind is bundled, large, folder (`path`) or hub (`repo`, `revision`)."""

    kind: str
    name: str
    path: Path | None = None
    repo: str = ""
    revision: str | None = None


def bundled_folder() -> Path:
    """assets/reader."""
    return READERS["bundled"]


def parse_source(text: str, limits: HostLimits = LOOPBACK) -> Source:
    """Turn a reader's name into a Source; what this host does not allow is refused without looking
    at the disk.

    An existing folder wins over a hub id of the same spelling. Where folders are not allowed, every
    path gets the same answer.
    """
    name = text.strip()
    if limits.allowed is not None and name not in limits.allowed:
        raise ModelUnavailable(
            f"this host offers a fixed list of readers: {', '.join(limits.allowed)}"
        )
    if name == "bundled":
        return Source("bundled", name)
    if name == "large":
        return Source("large", name, path=READERS["large"])
    if not name or len(name) > 1000 or not name.isprintable():
        raise BadInput(f"a reader's name must be one line of at most 1,000 characters; {FORMS}")
    if limits.local_folders:
        folder = _folder(name)
        if folder is not None:
            return Source("folder", folder.resolve().name or name, path=folder)
    found = _HUB.fullmatch(name)
    if found is None or ".." in name or "--" in name:
        raise BadInput(
            f"this is not a reader's "
            f"name{' or an existing folder' if limits.local_folders else ''}; {FORMS}"
        )
    if not limits.hub:
        raise ModelUnavailable(
            "this host does not load readers from Hugging Face; the bundled reader works"
        )
    return Source("hub", name, repo=f"{found[1]}/{found[2]}", revision=found[3])


def _folder(name: str) -> Path | None:
    try:
        path = Path(name).expanduser()
        return path if path.is_dir() else None
    except (OSError, RuntimeError, ValueError):
        return None
