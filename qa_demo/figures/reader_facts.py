"""What is known of a reader, as the reader menu says it."""

from qa_demo.core.measuring.measured import Measured
from qa_demo.core.reader import ReaderFacts
from qa_demo.figures.numbers import grouped, number
from qa_demo.figures.prose import shorten

MILLION = 1_000_000


REVISION = 8
"""Letters of a checksum or commit that tell one revision from another."""


def facts_sentence(facts: ReaderFacts, checksum: str = "") -> str:
    """One line about a reader that was just loaded, under its name."""
    return f"{shorten(facts.name)}: {facts_line(facts, checksum)}"


def scores_line(found: Measured | None) -> str:
    """What was measured of a reader before it is loaded; nothing where nothing was."""
    if found is None or found.f1 is None:
        return ""
    said = [f"{number(found.f1, 1)} F1 on held-out questions"]
    if found.parameters is not None:
        said.insert(0, parameters(found.parameters))
    if found.times_as_long is not None:
        said.append(f"takes {number(found.times_as_long, 1)} times as long as the bundled reader")
    return f"{'; '.join(said)}."


def parameters(count: int) -> str:
    """How many there are, in millions from one million on."""
    if count >= MILLION:
        return f"{grouped(count / MILLION, 1)} million parameters"
    return f"{count:,} parameters"


def facts_line(facts: ReaderFacts, checksum: str = "") -> str:
    """What is known of a reader: size, positions, capitals, heads, threshold, checksum."""
    size = parameters(facts.parameters)
    capitals = "tells capitals apart" if facts.cased else "does not tell capitals apart"
    heads = "start/end and BIO heads" if facts.has_bio else "start/end head, no BIO head"
    threshold = (
        "no threshold stored, 0 is used"
        if facts.threshold is None
        else f"no-answer threshold {number(facts.threshold)}"
    )
    revision = f", revision {checksum[:REVISION]}" if checksum else ""
    return (
        f"{size}, up to {facts.positions:,} positions, {capitals}, {heads}, {threshold}{revision}."
    )
