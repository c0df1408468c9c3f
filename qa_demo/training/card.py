"""Fill the figures of a model card, and of the documents: no number there is typed by hand.

    python -m qa_demo.training.card [--reader assets/reader] [--checkout .]

The card is README.md beside the model, whose tables stand between `<!-- NAME -->` and
`<!-- /NAME -->`; a folder without one gets a copy of the bundled model's of its kind. What is
written there is `assets/card.md` with the figures filled in. Run this after
`qa_demo.training.score`, and for SpanBERT after `infill score`.
"""

import logging
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadInput
from qa_demo.core.store import ASSETS
from qa_demo.evaluation.table import MOST_LOST
from qa_demo.examples import load_examples
from qa_demo.training import finetune, pretrain, teach
from qa_demo.training.command import described, exit_code, read_json
from qa_demo.training.said import KINDS

log = logging.getLogger("card")
Figures = Mapping[str, Any]
HEADS = {"span": "start/end", "bio": "tags, best single span"}
WIDTH = 150
"""Characters of a line of a command, about."""
SECTION = r"(<!-- {} -->\n)(.*?)(\n<!-- /{} -->)"
AIMS = {
    "start/end, F1": ("squad_dev span f1", 86, 89),
    "start/end, exact": ("squad_dev span exact", 79, 82),
    "tags, F1": ("squad_dev bio f1", 80, 85),
    "with unanswerable questions, best F1": ("squad_dev_v2 span best_f1", 75, 78),
    "answer or not, at the threshold in use": ("squad_dev_v2 span answer_or_not_accuracy", 77, 80),
    "lists of multispanqa whole, tags": ("lists multispanqa.json.gz bio whole_lists", 20, 25),
    "unanswerable questions that get no answer": ("squad_dev_v2 span NoAns_f1", 58, 65),
    "distance of the claim on mixed files": ("claim error", 0.04, 0.04),
}
"""Where a figure stands, and what the bundled reader and the large one were to reach: at least so
much, at most of the last.
"""


def filled(text: str, bodies: Mapping[str, str]) -> str:
    """Put each body between the two marks of its name; BadInput unless they stand there once."""
    for name, body in bodies.items():
        pattern = re.compile(SECTION.format(name, name), re.DOTALL)
        if len(pattern.findall(text)) != 1:
            raise BadInput(
                f"the text needs exactly one pair of marks <!-- {name} --> and <!-- /{name} -->"
            )
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


def scores(metrics: Figures) -> str:
    """Exact and F1 of both heads: answerable questions (SQuAD 1.1 rules), then all mixed."""
    found = {**metrics, **metrics["squad_dev_v2"], "plain": metrics["squad_dev"]}
    return said("scores", found | {"most_lost": MOST_LOST})


def bins(found: Sequence[Figures]) -> str:
    """One row for each tenth of probability."""
    row = "| {low:.1f} to {high:.1f} | {count:,} | {mean_prob:.2f} | {accuracy:.2f} |"
    head = table(["probability", "questions", "mean probability", "exactly right"], [])
    return "\n".join([head, *map(row.format_map, found)])


def calibration(metrics: Figures) -> str:
    """How sure each head was of its best span, and how often right, after its calibration; and the
    answer line's figure where some texts have no answer.
    """
    blocks = [
        said("calibration", {**found, "head": HEADS[head], "bins": bins(found["after"])})
        for head, found in metrics["reliability"].items()
    ]
    if claim := metrics.get("claim"):
        blocks.append(said("claim", {**claim, "table": bins(claim["bins"])}))
    return "\n\n".join(blocks)


def lists(metrics: Figures) -> str:
    """MultiSpanQA's two measures of both heads on the lists that no training saw, and of how many
    each kind are as the tags read them.
    """
    rows, kinds = [], []
    for name, found in metrics.get("lists", {}).items():
        first = [name.removesuffix(".json.gz"), found["bio"]["total"]]
        each = ((h["exact"]["f1"], h["overlap"]["f1"], h["whole_lists"]) for h in found.values())
        rows.append([*first, *(float(x) for three in each for x in three)])
        kinds.append([*first, *metrics["list_kinds"][name]["bio"].values()])
    if not rows:
        return "No lists were scored."
    of = [
        f"{head} {what}" for head in ("start/end", "tags") for what in ("exact", "overlap", "whole")
    ]
    figures = {
        "scores": table(["file", "questions", *of], rows),
        "kinds": table(["file", "questions", *KINDS], kinds),
        "meant": "; ".join(f"{kind}: {what}" for kind, what in KINDS.items()),
    }
    return said("lists", figures)


def aims(metrics: Figures, large: bool) -> str:
    """What the training was to reach on the held-out files, and what it reached."""
    rows = []
    for name, (place, *both) in AIMS.items():
        try:
            found, aim = reduce(getitem, place.split(), metrics), both[large]
        except KeyError:
            continue  # no lists were scored, or no claim was fitted
        most = aim < 1
        met = round(found, 3) <= aim if most else found >= aim
        shown = f"{found:.3f}" if most else f"{found:.1f}"
        word = f"at {'most' if most else 'least'} {aim:g}"
        rows.append([name, word, shown, "yes" if met else "no"])
    return table(["on squad-dev and squad-dev-v2", "aim", "measured", "reached"], rows)


def curve(reader: Figures) -> str:
    """Scores on the way, as the run's log has them: a part of the questions, averaged weights."""
    names = ("questions", "exact", "f1", "bio_f1")
    rows = [[f"{row['steps']:,}", *(row[k] for k in names)] for row in reader.get("curve", ())]
    head = ["steps", "questions", "exact", "F1", "tags F1"]
    return table(head, rows) if rows else "No scores were taken on the way."


def versions(metrics: Figures) -> str:
    """Versions of the packages and checksums of the files that the figures were measured with."""
    used = ", ".join(f"{name} {number}" for name, number in metrics["versions"].items())
    files = ", ".join(f"`{name}` `{digest}`" for name, digest in metrics["data"].items())
    return said("versions", {**metrics, "used": used, "files": files})


def training(reader: Figures) -> str:
    """The commands that made a reader: its teacher's, where it had one, and its own."""
    phases, teacher = reader["phases"], reader.get("teacher")
    blocks = []
    if teacher and len(teacher["phases"]) == 1:
        blocks.append(told(teacher["phases"][0] | {"name": "teacher"}))
    elif teacher:
        named = teacher.get("name", teacher.get("encoder"))
        blocks.append(f"Its teacher was the reader `{named}`: its own card tells more.")
    if len(phases) > 1:
        steps = sum(phase["steps_taken"] for phase in phases[:-1])
        blocks.append(f"Before the run below it took {steps:,} steps in other runs.")
    return "\n\n".join([*blocks, told(phases[-1])])


def told(phase: Figures) -> str:
    """What a run of finetune or teach took, and its command."""
    given = {"encoder": "ENCODER", "dev": "squad-dev.json.gz", **phase}
    if "label_share" not in phase:
        return f"{took(phase)}\n\n{command('finetune', finetune.Settings, given)}"
    taught = given | {"teacher": "runs/teacher"}
    return f"{took(phase)}\n\n{command('teach', teach.Settings, taught)}"


def took(phase: Figures) -> str:
    """Steps, time, package and number format of a run."""
    minutes = f" in {phase['seconds'] / 60:.0f} minutes" if phase.get("seconds") else ""
    return said("run", {**phase, "minutes": minutes})


def command(module: str, settings: type, phase: Figures) -> str:
    """A training command, rebuilt from the settings that a run wrote: a list's values one after
    another, a switch as --name or --no-name; on few lines, none of which splits an option.
    """
    given = {**phase, "out": f"runs/{phase['name']}"}
    lines = [f"python -m qa_demo.training.{module}"]
    ordered = sorted(fields(settings), key=lambda f: (f.default is not MISSING, f.name == "out"))
    for field in ordered:
        value = given.get(field.name)
        if value in (None, "", []):
            continue
        flag = field.metadata.get("aliases", f"--{field.name}").replace("_", "-")
        values = map(str, value) if isinstance(value, list) else [str(value)]
        part = f"{flag} {' '.join(values)}"
        if isinstance(value, bool):
            part = flag if value else f"--no-{flag[2:]}"
        if len(lines[-1]) + len(part) < WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return "```\n" + " \\\n    ".join(lines) + "\n```"


def pretraining(about: Figures) -> str:
    """The commands that made a SpanBERT, and its held-out figures on the way."""
    phase = {"encoder": "sentence-transformers/all-MiniLM-L6-v2", **about["phases"][-1]}
    rows = [
        [
            f"{row.get('before', 0) + row['step']:,}",
            f"{row['seconds'] / 60:.0f}",
            row["held"]["pieces"],
            *(row["held"].get(key) for key in ("mlm_top1", "sbo_top1")),
        ]
        for row in phase["curve"]
    ]
    more = f" --more-text {' '.join(phase['more_text'])}" if phase.get("more_text") else ""
    figures = {
        "run": took(phase),
        "train": command("pretrain", pretrain.Settings, phase),
        "files": " ".join(phase["text"]) + more,
        "curve": table(["step", "minutes", "blanks", "MLM top-1", "SBO top-1"], rows),
    }
    return said("pretraining", {**phase, **figures})


def infilling(metrics: Figures) -> str:
    """All tables of `infill score`: a line a group with its blanks and the heads' figures."""
    groups = {"overall": {"all": metrics["overall"]}, "shown to the model": metrics["by_fate"]}
    columns = {
        f"{head} {name}": f"{head.lower()}_{name.replace('-', '')}"
        for head in ("MLM", "SBO", "both")
        for name in ("top-1", "perplexity")
    }
    tables = [
        table(
            [title, "blanks", *columns],
            [[name, g["pieces"], *map(g.get, columns.values())] for name, g in found.items()],
        )
        for title, found in groups.items()
    ]
    shown = {"files": " ".join(metrics["text"]), "tables": "\n\n".join(tables)}
    return said("infilling", {**metrics, **shown})


def answered(folder: Path) -> str:
    """The command line's answer to the shortest example of the pool, as it came out."""
    example = min(load_examples(ASSETS / "examples.json"), key=lambda e: len(e.context))
    texts = ["--question", example.question, "--context", example.context]
    flags = ["answer", *texts, "--n-best-size", "5"]
    asked = [sys.executable, "-m", "qa_demo", *flags, "--reader", str(folder)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BadInput(f"the command line ended with {done.returncode}: {done.stderr.strip()}")
    return f"```\n$ .venv/bin/python -m qa_demo {shlex.join(flags)}\n{done.stdout}```"


def bodies(folder: Path) -> tuple[str, dict[str, str]]:
    """The bundled model of the same kind, and what stands between the marks of a model's card, by
    their names. Errors: BadInput for a folder that was not scored.
    """
    metrics = read_json(folder / "metrics.json")
    if (folder / "spanbert.json").is_file():
        about = read_json(folder / "spanbert.json")
        return "spanbert", {"training": pretraining(about), "figures": infilling(metrics)}
    reader = read_json(folder / "reader.json")
    large = "base" in reader
    return "reader-large" if large else "reader", {
        "training": training(reader),
        "curve": curve(reader),
        "scores": scores(metrics),
        "aims": aims(metrics, large),
        "calibration": calibration(metrics),
        "lists": lists(metrics),
        "versions": versions(metrics),
    }


def write(path: Path, shown: Mapping[str, str]) -> None:
    """Fill one file's marks."""
    path.write_text(filled(path.read_text(encoding="utf-8"), shown), encoding="utf-8")
    log.info("filled %s", path)


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and fill; 2 when a file or a pair of marks is missing."""
    p = described(__doc__, "card")
    p.add_argument("--reader", type=Path, default=Path("assets/reader"), help="or SpanBERT")
    p.add_argument("--checkout", type=Path, default=Path())
    a = p.parse_args(argv)
    kind, shown = bodies(a.reader)
    path = a.reader / "README.md"
    if not path.is_file():
        shutil.copy(ASSETS / kind / "README.md", path)
    write(path, shown)
    if kind == "reader":
        write(a.checkout / "docs" / "how-sure.md", {"scores": shown["scores"]})
        write(a.checkout / "README.md", {"cli": answered(a.reader)})


if __name__ == "__main__":
    raise SystemExit(main())
