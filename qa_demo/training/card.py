"""Fill the figures of a model card, of the bundled reader also those of the documents: no number
there is typed by hand.

    python -m qa_demo.training.card [--reader assets/reader]

The card is README.md beside the model, whose tables stand between `<!-- NAME -->` and
`<!-- /NAME -->`; a folder without one gets a card of these alone. What is written there is
`assets/card.md` with the figures filled in. Run this after `qa_demo.training.score`, and for
SpanBERT after `infill score`.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadInput
from qa_demo.core.store import ASSETS
from qa_demo.evaluation.table import MOST_LOST
from qa_demo.examples import PoolExample, load_texts
from qa_demo.training import finetune, pretrain, teach
from qa_demo.training.loop import described, exit_code, log, read_json

Figures = Mapping[str, Any]
WIDTH = 150
"""Characters of a line of a command, about."""
SECTION = r"(<!-- {} -->\n)(.*?)(\n<!-- /{} -->)"


def with_bodies(text: str, bodies: Mapping[str, str]) -> str:
    """Put each body between the two marks of its name; BadInput unless they stand there once."""
    for name, body in bodies.items():
        pattern = re.compile(SECTION.format(name, name), re.DOTALL)
        if len(pattern.findall(text)) != 1:
            raise BadInput(f"the text needs exactly one pair of marks <!-- {name} -->")
        text = pattern.sub(lambda m, body=body: f"{m[1]}{body}{m[3]}", text)
    return text


def said(name: str, figures: Figures) -> str:
    """A part of the template with its figures."""
    template = (ASSETS / "card.md").read_text(encoding="utf-8")
    found = re.search(SECTION.format(name, name), template, re.DOTALL)
    assert found is not None, name
    return found[2].format_map(figures)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table; the first column is text, the others are numbers, a float with one digit,
    a dash for None.
    """

    def shown(cell: Any) -> str:
        if isinstance(cell, float):
            return f"{cell:,.1f}"
        return "-" if cell is None else f"{cell:,}" if isinstance(cell, int) else str(cell)

    lines = [head, ["---", *["---:"] * (len(head) - 1)], *([*map(shown, row)] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def bins(found: Iterable[Figures]) -> str:
    """One row for each tenth of probability."""
    row = "| {low:.1f} to {high:.1f} | {count:,} | {mean_prob:.2f} | {accuracy:.2f} |"
    head = table(["probability", "questions", "mean probability", "exactly right"], [])
    return "\n".join([head, *map(row.format_map, found)])


def calibration(metrics: Figures) -> str:
    """How sure start/end were of their best span, and how often right, after the calibration; and
    the answer line's figure where some texts have no answer.
    """
    span, claim = metrics["reliability"]["span"], metrics.get("claim")
    shown = said("calibration", {**span, "bins": bins(span["after"])})
    return f"{shown}\n\n{said('claim', {**claim, 'bins': bins(claim['bins'])})}" if claim else shown


def lists(metrics: Figures) -> str:
    """F1 of both heads' lists that no training saw, and how many were found whole."""
    rows = list[list[Any]]()
    for name, heads in metrics.get("lists", {}).items():
        rows.append([name.removesuffix(".json.gz"), heads["bio"]["total"]])
        for h in heads.values():
            rows[-1] += map(float, (h["exact"]["f1"], h["whole_lists"]))
    of = [f"{head} {x}" for head in ("start/end", "tags") for x in ("F1", "whole")]
    shown = table(["file", "questions", *of], rows)
    return said("lists", {"scores": shown}) if rows else "No lists were scored."


def training(reader: Figures) -> str:
    """The commands that made a reader: its teacher's, where it had one, and its own."""
    phases, teacher = reader["phases"], reader.get("teacher", {})
    blocks = []
    if len(teacher.get("phases", ())) == 1:
        blocks.append(told(teacher["phases"][0] | {"name": "teacher"}))
    elif teacher:
        blocks.append(f"Its teacher was the reader `{teacher['name']}`: its own card tells more.")
    if len(phases) > 1:
        steps = sum(phase["steps_taken"] for phase in phases[:-1])
        blocks.append(f"Before the run below it took {steps:,} steps in other runs.")
    return "\n\n".join([*blocks, told(phases[-1])])


def told(phase: Figures) -> str:
    """What a run of finetune or teach took, and its command."""
    given = {"encoder": "ENCODER", "dev": "squad-dev.json.gz", **phase}
    shown = command("finetune", finetune.Settings, given)
    if "label_share" in phase:
        shown = command("teach", teach.Settings, given | {"teacher": "runs/teacher"})
    return f"{took(phase)}\n\n{shown}"


def took(phase: Figures) -> str:
    """Steps, time, package and number format of a run."""
    minutes = f" in {phase['seconds'] / 60:.0f} minutes" if phase.get("seconds") else ""
    return said("run", {**phase, "minutes": minutes})


def command(module: str, settings: type, phase: Figures) -> str:
    """A training command, rebuilt from a run's settings, on lines that split no option."""
    given = {**phase, "out": f"runs/{phase['name']}"}
    lines = [f"python -m qa_demo.training.{module}"]
    ordered = sorted(fields(settings), key=lambda f: (f.default is not MISSING, f.name == "out"))
    for field in ordered:
        value = given.get(field.name)
        if value in (None, "", []):
            continue
        flag = field.metadata.get("aliases", f"--{field.name}").replace("_", "-")
        part = " ".join([flag, *map(str, value if isinstance(value, list) else [value])])
        if len(lines[-1]) + len(part) < WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return "```\n" + " \\\n    ".join(lines) + "\n```"


def pretraining(about: Figures) -> str:
    """The commands that made a SpanBERT."""
    phase = {"encoder": "sentence-transformers/all-MiniLM-L6-v2", **about["phases"][-1]}
    more = f" --more-text {' '.join(phase['more_text'])}" if phase.get("more_text") else ""
    train = command("pretrain", pretrain.Settings, phase)
    files = " ".join(phase["text"]) + more
    return said("pretraining", {**phase, "run": took(phase), "train": train, "files": files})


def infilling(metrics: Figures) -> str:
    """The figures of `infill score`, of all blanks and by what the model saw there."""
    names = [f"{h} {x}" for h in ("MLM", "SBO", "both") for x in ("top-1", "perplexity")]
    keys = [name.lower().replace(" ", "_").replace("-", "") for name in names]
    groups = {"all": metrics["overall"], **metrics["by_fate"]}
    rows = [[name, g["pieces"], *map(g.get, keys)] for name, g in groups.items()]
    shown = {"files": " ".join(metrics["text"]), "table": table(["saw", "blanks", *names], rows)}
    return said("infilling", {**metrics, **shown})


def answered(folder: Path) -> str:
    """The command line's answer to the shortest example of the pool, as it came out."""
    example = min(load_texts(PoolExample, ASSETS / "examples.json"), key=lambda e: len(e.context))
    flags = ["answer", "--question", example.question, "--context", example.context]
    flags += ["--n-best-size", "5"]
    asked = [sys.executable, "-m", "qa_demo", *flags, "--reader", str(folder)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BadInput(f"the command line ended with {done.returncode}: {done.stderr.strip()}")
    return f"```\n$ .venv/bin/python -m qa_demo {shlex.join(flags)}\n{done.stdout}```"


def bodies(folder: Path) -> dict[str, str]:
    """What stands between the marks of a model's card, by their names. Errors: BadInput for a
    folder that was not scored.
    """
    metrics = read_json(folder / "metrics.json")
    if (folder / "spanbert.json").is_file():
        about = read_json(folder / "spanbert.json")
        return {"training": pretraining(about), "figures": infilling(metrics)}
    reader = read_json(folder / "reader.json")
    used = ", ".join(f"{name} {number}" for name, number in metrics["versions"].items())
    files = ", ".join(f"`{name}` `{digest}`" for name, digest in metrics["data"].items())
    shown = {**metrics, **metrics["squad_dev_v2"], "plain": metrics["squad_dev"]}
    shown |= {"most_lost": MOST_LOST, "used": used, "files": files}
    return {
        "training": training(reader),
        "scores": said("scores", shown),
        "calibration": calibration(metrics),
        "lists": lists(metrics),
        "versions": said("versions", shown),
    }


def write(path: Path, shown: Mapping[str, str]) -> None:
    """Fill one file's marks."""
    path.write_text(with_bodies(path.read_text(encoding="utf-8"), shown), encoding="utf-8")
    log.info("filled %s", path)


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and fill; 2 when a file or a pair of marks is missing."""
    p = described(__doc__, "card")
    p.add_argument("--reader", type=Path, default=Path("assets/reader"), help="or SpanBERT")
    a = p.parse_args(argv)
    try:
        shown = bodies(a.reader)
    except KeyError as fault:
        raise BadInput(f"metrics.json has no {fault}; score the model anew") from fault
    path = a.reader / "README.md"
    if not path.is_file():
        marked = (f"## {x.title()}\n\n<!-- {x} -->\n\n<!-- /{x} -->\n" for x in shown)
        path.write_text("\n".join(marked), encoding="utf-8")
    write(path, shown)
    if a.reader.resolve() == (ASSETS / "reader").resolve():  # of which the documents tell
        write(ASSETS.parent / "docs" / "how-sure.md", {"scores": shown["scores"]})
        write(ASSETS.parent / "README.md", {"cli": answered(a.reader)})


if __name__ == "__main__":
    raise SystemExit(main())
