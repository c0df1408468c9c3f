"""Ask a reader the questions that a visitor types first: short texts of everyday kinds, never
trained on, all accepted answers listed. `assets/first_questions_second.json` has sixty more and
`assets/first_questions_third.json` forty, each written without a look at the files before it and
before any reader was asked.

    python -m qa_demo.training.first_questions [--reader bundled|DIR] [--file
    assets/first_questions.json]

Prints each question that the page would not answer exactly (SQuAD's comparison), then the figures
by kind; exit code 0 when at least 97 % are exact, else 1.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from qa_demo.core.base import BadInput
from qa_demo.core.metrics import exact_match
from qa_demo.core.predict import predict
from qa_demo.core.reader import Reader
from qa_demo.core.store import ASSETS
from qa_demo.training.loop import described, exit_code

FILE = ASSETS / "first_questions.json"
WANTED = 97.0


@dataclass(frozen=True)
class FirstQuestion:
    """One question to one to three plain sentences, with every answer a person would accept."""

    kind: str
    context: str
    question: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Reply:
    """What the page answers, None when it withholds, and the best span without the threshold."""

    asked: FirstQuestion
    answer: str | None
    best: str

    @property
    def exact(self) -> bool:
        """Whether the page's answer is one of the accepted ones."""
        return self.answer is not None and any(
            exact_match(a, self.answer) for a in self.asked.answers
        )

    @property
    def exact_best(self) -> bool:
        """Whether the best span is one of them, withheld or not."""
        return any(exact_match(a, self.best) for a in self.asked.answers)


def load_questions(path: Path) -> list[FirstQuestion]:
    """Read the file. Errors: BadInput for another form, or an answer its text does not hold."""
    try:
        found = [
            FirstQuestion(text["kind"], text["context"], qa["question"], tuple(qa["answers"]))
            for text in json.loads(path.read_text(encoding="utf-8"))
            for qa in text["qas"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise BadInput(f"{path.name} is no file of first questions: {fault}") from fault
    for asked in found:
        missing = [a for a in asked.answers if not a or a not in asked.context]
        if missing or not asked.answers:
            raise BadInput(
                f"{asked.question!r}: its text does not hold {missing[0]!r}"
                if missing
                else f"{asked.question!r} has no accepted answer"
            )
    return found


def replies(reader: Reader, questions: Iterable[FirstQuestion]) -> list[Reply]:
    """Ask as the page does: exact search, logit sum, the reader's own threshold."""
    found = []
    for asked in questions:
        reading = reader.read(asked.question, asked.context)
        said = predict(reading)
        found.append(
            Reply(asked, said.answer, "" if said.best is None else said.best.candidate.text)
        )
    return found


def report(found: Sequence[Reply]) -> str:
    """Every miss with what was said instead, then exact by kind and in all."""
    lines = []
    for reply in found:
        if not reply.exact:
            said = f"withheld {reply.best!r}" if reply.answer is None else f"said {reply.answer!r}"
            lines.append(
                f"{said}, accepted {' | '.join(reply.asked.answers)}: {reply.asked.question} "
                f"{reply.asked.context}"
            )
    asked = Counter(r.asked.kind for r in found)
    exact = Counter(r.asked.kind for r in found if r.exact)
    lines += [f"{kind}: {exact[kind]} of {n}" for kind, n in asked.items()]
    best = sum(r.exact_best for r in found)
    lines.append(
        f"all: {sum(exact.values())} of {len(found)} exact ({percent(found):.1f} %), {best} with "
        f"nothing withheld"
    )
    return "\n".join(lines) + "\n"


def percent(found: Sequence[Reply]) -> float:
    """Percent of the questions that the page answers exactly."""
    return 100 * sum(r.exact for r in found) / len(found)


@exit_code
def main(argv: list[str] | None = None) -> int:
    """Parse the command line, ask and report; 2 on a reader or file that cannot be used."""
    p = described(__doc__, "first_questions")
    p.add_argument("--reader", default="bundled", help="bundled, or a folder")
    p.add_argument("--file", type=Path, default=FILE)
    a = p.parse_args(argv)
    questions = load_questions(a.file)
    # after the file, so that a fault in it is told at once
    from qa_demo.model.loading import load_reader

    found = replies(load_reader(a.reader), questions)
    sys.stdout.write(report(found))
    return 0 if percent(found) >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
