"""Fill the figures of a model card, and of the documents: no number there is typed by hand.

    python -m qa_demo.training.card [--reader assets/reader] [--checkout .]

The card is README.md beside the model, a template whose tables stand between `<!-- NAME -->` and
`<!-- /NAME -->`; a folder without one gets a copy of the bundled model's of its kind.
Run this after `qa_demo.training.score`, and for SpanBERT after `infill score`.
"""

import logging
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadInput
from qa_demo.core.store import ASSETS
from qa_demo.evaluation.threshold import MOST_LOST
from qa_demo.examples import load_examples
from qa_demo.training.lists import KINDS
from qa_demo.training.loop import described, exit_code, read_json

log = logging.getLogger("card")
Figures = Mapping[str, Any]
HEADS = {"span": "start/end", "bio": "tags, best single span"}
WIDTH = 150
"""Characters of a line of a command, about."""
AIMS = {
    "start/end, F1": (86, 89),
    "start/end, exact": (79, 82),
    "tags, F1": (80, 85),
    "with unanswerable questions, best F1": (75, 78),
    "answer or not, at the threshold in use": (77, 80),
    "lists of multispanqa whole, tags": (20, 25),
    "unanswerable questions that get an answer": (42, 35),
    "distance of the claim on mixed files": (0.04, 0.04),
}
"""What the bundled reader and the large one were to reach; the last two at most."""
COLUMNS = tuple(
    (f"{head.upper() if head != 'both' else head} {name}", f"{head}_{key}")
    for head in ("mlm", "sbo", "both")
    for name, key in (("top-1", "top1"), ("perplexity", "perplexity"))
)


def fill(text: str, name: str, body: str) -> str:
    """Put `body` between the two marks of `name`; BadInput unless they stand there exactly once."""
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise BadInput(
            f"the text needs exactly one pair of marks <!-- {name} --> and <!-- /{name} -->"
        )
    return pattern.sub(lambda m: f"{m.group(1)}{body}\n{m.group(2)}", text)


def filled(text: str, bodies: Mapping[str, str]) -> str:
    """Fill every pair of marks."""
    for name, body in bodies.items():
        text = fill(text, name, body)
    return text


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
    plain, mixed = metrics["squad_dev"], metrics["squad_dev_v2"]
    n, n2 = plain["span"]["total"], mixed["span"]["total"]
    has, no = mixed["span"]["HasAns_total"], mixed["span"]["NoAns_total"]
    first = table(
        ["head", f"exact ({n:,} answerable)", f"F1 ({n:,} answerable)"],
        [[name, *(float(plain[h][k]) for k in ("exact", "f1"))] for h, name in HEADS.items()],
    )
    keys = {
        f"exact ({n2:,} mixed)": "exact",
        f"F1 ({n2:,} mixed)": "f1",
        f"F1 on the {has:,} answerable": "HasAns_f1",
        f"F1 on the {no:,} unanswerable": "NoAns_f1",
        "accuracy, answer or not": "answer_or_not_accuracy",
        "best accuracy": "best_answer_or_not_accuracy",
        "best F1": "best_f1",
        f"F1 on the {has:,}, nothing withheld": "answerable_f1_without_threshold",
    }
    second = table(
        ["head", *keys],
        [[name, *(float(mixed[h][k]) for k in keys.values())] for h, name in HEADS.items()],
    )
    note = (
        f"Measured on {metrics['date']} with `{metrics['command']}`, in percent. In the second "
        f"table an answer is withheld where score_diff is above the threshold "
        f"({mixed['span']['threshold']:.2f} for start/end, {mixed['bio']['threshold']:.2f} for "
        f"tags): the one that decides best between answering and not, among those that cost the "
        f"answerable questions at most {MOST_LOST:g} points of F1. The columns named best take the "
        f"threshold that is best for them alone. All were tuned on these same questions, so that "
        f"table is an upper bound."
    )
    return f"{first}\n\n{second}\n\n{note}"


def calibration(metrics: Figures) -> str:
    """How sure each head was of its best span, and how often right, after its calibration."""
    blocks = []
    for head, name in HEADS.items():
        found = metrics["reliability"][head]
        first, second = found["halves"]
        blocks += [
            f"**{name}**: temperature {found['temperature']:.2f} and bias {found['bias']:.2f}, "
            f"fitted on {found['measured_on']:,} questions; mean distance of probability and "
            f"share before it {found['error_before']:.3f}, after it:",
            bins(found["after"]),
            f"Mean distance of the two last columns, weighted by questions: "
            f"{found['error_after']:.3f}. The table is measured with two other fits, each on one "
            f"half of the articles, so that no question is judged by a fit that saw its article; "
            f"on its own half each shows {second['error']:.3f} and {first['error']:.3f}. "
            f"Probabilities that are exactly right would show {found['chance_error']:.3f} on so "
            f"many questions, by the draw of the outcomes alone.",
        ]
    if "claim" in metrics:
        blocks += claim(metrics["claim"])
    return "\n\n".join(blocks)


def claim(found: Figures) -> list[str]:
    """The answer line's figure where some have no answer, beside the chance where all have."""
    first, second = found["halves"]
    return [
        "**Whatever the text holds**: the answer line multiplies the calibrated probability of "
        f"start/end by P(the text answers) = sigmoid({found['slope']:.3f} x lead over no answer "
        f"{found['intercept']:+.3f}), fitted on {found['measured_on']:,} questions, "
        f"{found['unanswerable']:,} of them without an answer. The calibrated probability alone, "
        f"which knows nothing of silent texts, is {found['error_conditional']:.3f} off there; the "
        f"product, measured as above:",
        bins(found["bins"]),
        f"Mean distance {found['error']:.3f}. On its own half each fit shows "
        f"{second['error']:.3f} and {first['error']:.3f}, and exact probabilities would show "
        f"{found['chance_error']:.3f}.",
    ]


def bins(found: Sequence[Figures]) -> str:
    """One row for each tenth of probability."""
    rows = [
        [
            f"{b['low']:.1f} to {b['high']:.1f}",
            b["count"],
            f"{b['mean_prob']:.2f}",
            f"{b['accuracy']:.2f}",
        ]
        for b in found
    ]
    return table(["probability", "questions", "mean probability", "exactly right"], rows)


def lists(metrics: Figures) -> str:
    """MultiSpanQA's two measures of both heads on the lists that no training saw, and of how many
    each kind are as the tags read them.
    """
    rows, kinds = [], []
    for name, found in metrics["lists"].items():
        first = [name.removesuffix(".json.gz"), found["bio"]["total"]]
        both = [
            [float(found[head][of]["f1"]) for of in ("exact", "overlap")]
            + [float(found[head]["whole_lists"])]
            for head in HEADS
        ]
        rows.append([*first, *both[0], *both[1]])
        kinds.append([*first, *(metrics["list_kinds"][name]["bio"][kind] for kind in KINDS)])
    names = [
        f"{head} {of}" for head in ("start/end", "tags") for of in ("exact", "overlap", "whole")
    ]
    meant = "; ".join(f"{kind}: {what}" for kind, what in KINDS.items())
    return "\n\n".join(
        [
            table(["file", "questions", *names], rows),
            f"exact and overlap are F1, whole is the share of whole lists, in percent. How many "
            f"questions the tags answered with ({meant}):",
            table(["file", "questions", *KINDS], kinds),
        ]
    )


def aims(metrics: Figures, large: bool) -> str:
    """What the training was to reach on the held-out files, and what it reached."""
    plain, mixed = metrics["squad_dev"], metrics["squad_dev_v2"]["span"]
    lists_found = metrics.get("lists", {}).get("multispanqa.json.gz")
    reached = [
        plain["span"]["f1"],
        plain["span"]["exact"],
        plain["bio"]["f1"],
        mixed["best_f1"],
        mixed["answer_or_not_accuracy"],
        lists_found and lists_found["bio"]["whole_lists"],
        100 - mixed["NoAns_f1"],
        metrics.get("claim", {}).get("error"),
    ]
    rows = []
    for k, ((name, both), found) in enumerate(zip(AIMS.items(), reached, strict=True)):
        aim, most = both[large], k >= len(AIMS) - 2
        if found is not None:
            met = round(found, 3) <= aim if most else found >= aim
            shown = f"{found:.3f}" if aim < 1 else f"{found:.1f}"
            word = f"at {'most' if most else 'least'} {aim:g}"
            rows.append([name, word, shown, "yes" if met else "no"])
    return table(["on squad-dev and squad-dev-v2", "aim", "measured", "reached"], rows)


def curve(reader: Figures) -> str:
    """Scores on the way, as the run's log has them: a part of the questions, averaged weights."""
    rows = [
        [f"{row['steps']:,}", row["questions"], *(row[k] for k in ("exact", "f1", "bio_f1"))]
        for row in reader.get("curve", ())
    ]
    head = ["steps", "questions", "exact", "F1", "tags F1"]
    return table(head, rows) if rows else "No scores were taken on the way."


def versions(metrics: Figures) -> str:
    """Versions of the packages and checksums of the files that the figures were measured with."""
    used = ", ".join(f"{name} {number}" for name, number in metrics["versions"].items())
    files = ", ".join(f"`{name}` `{digest}`" for name, digest in metrics["data"].items())
    speed = metrics["speed"]
    fast = f"{speed['questions_per_second']:g} questions a second ({speed['questions']:,} in all)"
    return f"Measured with {used}, {fast}, on the files of these SHA-256: {files}."


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
    """What one run took, and its command, rebuilt from the settings that it wrote."""
    # imports torch, which the tables do not need
    from qa_demo.training import finetune, teach

    taught = "label_share" in phase
    name, kind = ("teach", teach.Settings) if taught else ("finetune", finetune.Settings)
    known = {"encoder", "teacher", "train", "out", "logits", "pool"}
    flags = [f.name for f in fields(kind) if f.name in phase and f.name not in known]
    encoder = phase.get("encoder", "ENCODER")
    parts = [
        f"python -m qa_demo.training.{name} --{'student' if taught else 'encoder'} {encoder}",
        *(["--teacher runs/teacher"] if taught else []),
        "--train " + " ".join(phase["train"]),
        *(flag(name, phase[name]) for name in flags),
        f"--out runs/{phase['name']}",
    ]
    if "dev" not in phase:
        parts.insert(-1, "--dev squad-dev.json.gz")
    return f"{took(phase)}\n\n```\n{packed(parts)}\n```"


def took(phase: Figures) -> str:
    """Steps, time, package and number format of a run."""
    minutes = f" in {phase['seconds'] / 60:.0f} minutes" if phase.get("seconds") else ""
    return (
        f"{phase['name']}: {phase['steps_taken']:,} steps{minutes}, torch {phase['torch']}, "
        f"mixed precision {phase['mixed_precision']}"
    )


def flag(name: str, value: Any) -> str:
    """One option of a training command: a list's values one after another, a switch as --name or
    --no-name.
    """
    shown = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{shown}" if value else f"--no-{shown}"
    return f"--{shown} " + (" ".join(map(str, value)) if isinstance(value, list) else str(value))


def packed(parts: Sequence[str]) -> str:
    """The parts of a command on few lines, none of which splits a part."""
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) < WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return " \\\n    ".join(lines)


def pretraining(about: Figures) -> str:
    """The commands that made a SpanBERT, and its held-out figures on the way."""
    from qa_demo.training import pretrain

    phase = about["phases"][-1]
    names = [f.name for f in fields(pretrain.Settings) if f.name in phase]
    text = "--text " + " ".join(phase["text"])
    more = [flag("more_text", phase["more_text"])] if phase.get("more_text") else []
    flags = [flag(name, phase[name]) for name in names if name not in ("text", "more_text")]
    encoder = phase.get("encoder", "sentence-transformers/all-MiniLM-L6-v2")
    run = f"runs/{phase['name']}"
    rows = [
        [
            f"{row.get('before', 0) + row['step']:,}",
            f"{row['seconds'] / 60:.0f}",
            row["held"]["pieces"],
            *(row["held"].get(key) for key in ("mlm_top1", "sbo_top1")),
        ]
        for row in phase["curve"]
    ]
    head = ["step", "minutes", "blanks", "MLM top-1", "SBO top-1"]
    train = [f"python -m qa_demo.training.pretrain --encoder {encoder}", text, *more, *flags]
    write = [f"python -m qa_demo.training.infill export --encoder {encoder} --run {run}", text]
    return "\n\n".join(
        [
            f"{took(phase)}. A step reads {phase['batch_tokens']:,} pieces.",
            f"```\n{packed([*train, f'--out {run}'])}\n```",
            f"```\n{packed([*write, *more, '--out assets/spanbert'])}\n```",
            "On a part of the held-out text along the way:",
            table(head, rows),
        ]
    )


def infilling(metrics: Figures) -> str:
    """All tables of `infill score`: a line a group with its blanks and the heads' figures."""
    groups = {
        "overall": {"all": metrics["overall"]},
        "shown to the model": metrics["by_fate"],
        "pieces in the run": metrics["by_length"],
        "distance from the nearer boundary": metrics["by_distance"],
    }
    names = [name for name, _ in COLUMNS]
    shown = [
        table(
            [title, "blanks", *names],
            [[name, g["pieces"], *(g.get(key) for _, key in COLUMNS)] for name, g in found.items()],
        )
        for title, found in groups.items()
        if found
    ]
    about = (
        f"Measured on {metrics['date']} on {metrics['parts']:,} parts of held-out paragraphs (5 %, "
        f"chosen by a hash), in fp32, by `python -m qa_demo.training.infill score --text "
        f"{' '.join(metrics['text'])}`. A run at an edge of its text has no SBO term."
    )
    return "\n\n".join([about, *shown])


def answered(folder: Path) -> str:
    """The command line's answer to the shortest example of the pool, as it came out."""
    example = min(load_examples(ASSETS / "examples.json"), key=lambda e: len(e.context))
    texts = ["--question", example.question, "--context", example.context]
    flags = ["answer", *texts, "--n-best-size", "5"]
    done = subprocess.run(
        [sys.executable, "-m", "qa_demo", *flags, "--reader", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BadInput(
            f"the command line ended with {done.returncode} for example '{example.id}': "
            f"{done.stderr.strip()}"
        )
    return f"```\n$ .venv/bin/python -m qa_demo {shlex.join(flags)}\n{done.stdout}```"


def kind_of(folder: Path) -> str:
    """The bundled model of the same kind. Errors: BadInput for a folder that was not scored."""
    read_json(folder / "metrics.json")
    if (folder / "spanbert.json").is_file():
        return "spanbert"
    return "reader-large" if "base" in read_json(folder / "reader.json") else "reader"


def bodies(folder: Path) -> dict[str, str]:
    """What stands between the marks of a model's card, by their names."""
    kind, metrics = kind_of(folder), read_json(folder / "metrics.json")
    if kind == "spanbert":
        about = read_json(folder / "spanbert.json")
        return {"training": pretraining(about), "figures": infilling(metrics)}
    reader = read_json(folder / "reader.json")
    return {
        "training": training(reader),
        "curve": curve(reader),
        "scores": scores(metrics),
        "aims": aims(metrics, kind == "reader-large"),
        "calibration": calibration(metrics),
        "lists": lists(metrics) if "lists" in metrics else "No lists were scored.",
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
    shown, kind, path = bodies(a.reader), kind_of(a.reader), a.reader / "README.md"
    if not path.is_file():
        shutil.copy(ASSETS / kind / "README.md", path)
    write(path, shown)
    if kind == "reader":
        write(a.checkout / "docs" / "how-sure.md", {"scores": shown["scores"]})
        write(a.checkout / "README.md", {"cli": answered(a.reader)})


if __name__ == "__main__":
    raise SystemExit(main())
