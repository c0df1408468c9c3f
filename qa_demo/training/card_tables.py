"""The tables of the model card, each made of the measured figures."""

from collections.abc import Sequence

from qa_demo.core.measuring.abstain import MOST_LOST
from qa_demo.core.measuring.listed import KINDS
from qa_demo.training.card_phases import Metrics

HEADS = {"span": "start/end", "bio": "BIO, best single span"}
NEAR = 0.03
"""How far a calibrated probability may be from the share that it claims, on average."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def scores(metrics: Metrics) -> str:
    """Exact and F1 of both heads: answerable questions (SQuAD 1.1 rules), then all mixed."""
    plain, mixed = metrics["squad_dev"], metrics["squad_dev_v2"]
    n, n2 = plain["span"]["total"], mixed["span"]["total"]
    has, no = mixed["span"]["HasAns_total"], mixed["span"]["NoAns_total"]
    first = table(
        ["head", f"exact ({n:,} answerable)", f"F1 ({n:,} answerable)"],
        [[name, f"{plain[h]['exact']:.1f}", f"{plain[h]['f1']:.1f}"] for h, name in HEADS.items()],
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
        [[name, *(f"{mixed[h][key]:.1f}" for key in keys.values())] for h, name in HEADS.items()],
    )
    note = (
        f"Measured on {metrics['date']} with `{metrics['command']}`, in percent. In the second "
        f"table an answer is withheld where score_diff is above the threshold "
        f"({mixed['span']['threshold']:.2f} for start/end, {mixed['bio']['threshold']:.2f} for "
        f"BIO): the one that decides best between answering and not, among those that cost the "
        f"answerable questions at most {MOST_LOST:g} points of F1. The columns named best take the "
        f"threshold that is best for them alone. All were tuned on these same questions, so that "
        f"table is an upper bound."
    )
    return f"{first}\n\n{second}\n\n{note}"


def calibration(metrics: Metrics) -> str:
    """How sure each head was of its best span, and how often right, before and after."""
    blocks = []
    for head, name in HEADS.items():
        found = metrics["reliability"][head]
        first, second = found["halves"]
        about = (
            f"**{name}**: temperature {found['temperature']:.2f} and bias {found['bias']:.2f}, "
            f"fitted on {found['measured_on']:,} questions. The table after it is measured with "
            f"two other fits, each on one half of the articles "
            f"({_half(first)} and {_half(second)}), so that no "
            f"question is judged by a fit that saw its article."
        )
        tables = [
            f"{when}:\n\n{reliability_table(found[key], found[f'error_{key}'])}"
            for when, key in (("Before", "before"), ("After", "after"))
        ]
        tables.append(
            f"Probabilities that are exactly right would show {found['chance_error']:.3f} on so "
            f"many questions, by the draw of the outcomes alone. Over all articles the errors of "
            f"the two fits partly cancel: on its own half each shows {second['error']:.3f} and "
            f"{first['error']:.3f}, where half as many questions make the draw larger too."
        )
        blocks.append("\n\n".join([about, *tables]))
    if "claim" in metrics:
        blocks.append(claim(metrics["claim"]))
    return "\n\n".join(blocks)


def claim(found: Metrics) -> str:
    """The answer line's figure where some have no answer, beside the chance where all have."""
    first, second = found["halves"]
    return "\n\n".join(
        [
            "**Whatever the text holds**: the answer line multiplies the calibrated probability "
            "of start/end by P(the text answers) = sigmoid("
            f"{found['slope']:.3f} x lead over no answer {found['intercept']:+.3f}), fitted on "
            f"{found['measured_on']:,} questions, {found['unanswerable']:,} of them without an "
            "answer. Measured as above, by two other fits of both factors. The calibrated "
            "probability alone, which knows nothing of silent texts:",
            reliability_table(found["conditional"], found["error_conditional"]),
            "The product:",
            reliability_table(found["bins"], found["error"]),
            f"Probabilities that are exactly right would show {found['chance_error']:.3f}; on its "
            f"own half each fit shows {second['error']:.3f} and {first['error']:.3f}.",
        ]
    )


def _half(found: Metrics) -> str:
    return (
        f"temperature {found['temperature']:.2f}, bias {found['bias']:.2f} on "
        f"{found['fitted_on']:,} questions"
    )


def reliability_table(bins: Sequence[Metrics], error: float) -> str:
    """One row for each tenth of probability, and the mean distance."""
    rows = [
        [
            f"{b['low']:.1f} to {b['high']:.1f}",
            f"{b['count']:,}",
            f"{b['mean_prob']:.2f}",
            f"{b['accuracy']:.2f}",
        ]
        for b in bins
    ]
    body = table(["probability", "questions", "mean probability", "exactly right"], rows)
    return f"{body}\n\nMean distance of the two last columns, weighted by questions: {error:.3f}."


def lists(metrics: Metrics) -> str:
    """MultiSpanQA's two measures of both heads on the lists that no training saw, and of how many
    each kind are.
    """
    rows, kinds = [], []
    for name, found in metrics["lists"].items():
        for head, label in (("span", "start/end"), ("bio", "tags")):
            one = found[head]
            first = [f"{name.removesuffix('.json.gz')}, {label}", f"{one['total']:,}"]
            f1 = [f"{one[measure]['f1']:.1f}" for measure in ("exact", "overlap")]
            rows.append([*first, *f1, f"{one['whole_lists']:.1f}"])
            if "list_kinds" in metrics:
                counts = metrics["list_kinds"][name][head]
                kinds.append([*first, *(f"{counts[kind]:,}" for kind in KINDS)])
    head = ["file and head", "questions"]
    tables = [table([*head, "exact F1", "overlap F1", "whole list right"], rows)]
    if kinds:
        meant = "; ".join(f"{kind}: {what}" for kind, what in KINDS.items())
        tables += [
            f"How many questions were answered with ({meant}):",
            table([*head, *KINDS], kinds),
        ]
    return "\n\n".join(tables)


SMALL, LARGE = (84, 77, 81, 71, 74, 74, 15), (89, 82, 85, 78, 80, 80, 25)
"""The aims of `aims`, in its order, of the bundled reader and of the one that taught it."""


def aims(metrics: Metrics, wanted: Sequence[float] = SMALL) -> str:
    """What the training was to reach on the held-out files, and what it reached."""
    plain, mixed = metrics["squad_dev"], metrics["squad_dev_v2"]["span"]
    cost = mixed["answerable_f1_without_threshold"] - mixed["HasAns_f1"]
    reached = {
        "start/end, F1": plain["span"]["f1"],
        "start/end, exact": plain["span"]["exact"],
        "tags, F1": plain["bio"]["f1"],
        "with unanswerable questions, best F1": mixed["best_f1"],
        "answer or not, at the best threshold": mixed["best_answer_or_not_accuracy"],
        "answer or not, at the threshold in use": mixed["answer_or_not_accuracy"],
    }
    if (found_lists := metrics.get("lists", {}).get("multispanqa.json.gz")) is not None:
        reached["lists of multispanqa whole, tags"] = found_lists["bio"]["whole_lists"]
    rows = [
        [name, f"at least {aim}", f"{found:.1f}", _reached(found >= aim)]
        for (name, found), aim in zip(reached.items(), wanted, strict=False)
    ]
    rows.append(_at_most("cost of that threshold, points of F1", MOST_LOST, cost, 1))
    for head, name in (("span", "start/end"), ("bio", "tags")):
        found = metrics["reliability"][head]
        halves = max(half["error"] for half in found["halves"])
        rows += [
            _at_most(f"{what}, {name}", NEAR, error, 3)
            for what, error in (
                ("distance after calibration", found["error_after"]),
                ("the same on one half alone, the worse", halves),
            )
        ]
    return table(["on squad-dev and squad-dev-v2", "aim", "measured", "reached"], rows)


def _at_most(name: str, aim: float, found: float, digits: int) -> list[str]:
    return [name, f"at most {aim:g}", f"{found:.{digits}f}", _reached(found <= aim)]


def _reached(met: bool) -> str:
    return "yes" if met else "no"


def learning_curve(metrics: Metrics) -> str:
    """Scores of the states that the reader came from, oldest first."""
    if "learning_curve" not in metrics:
        return "No scores of earlier states are stored beside this reader."
    keys = ("exact", "f1", "bio_f1", "best_f1", "best_accuracy")
    rows = [
        [row["state"], f"{row['steps']:,}", *(f"{row[key]:.1f}" for key in keys)]
        for row in metrics["learning_curve"]
    ]
    head = ["exact", "F1", "BIO F1", "best F1 with unanswerable ones", "best answer or not"]
    return table(["state", "steps so far", *head], rows)


def log_curve(reader: Metrics) -> str:
    """Scores on the way, as the run's log has them: a part of the questions, averaged weights."""
    rows = [
        [f"{row['steps']:,}", f"{row['questions']:,}"]
        + [f"{row[name]:.1f}" for name in ("exact", "f1", "bio_f1")]
        for row in reader["curve"]
    ]
    return table(["steps", "questions", "exact", "F1", "tags F1"], rows)


def versions(metrics: Metrics) -> str:
    """Versions of the packages and checksums of the files that the figures were measured with."""
    used = ", ".join(f"{name} {number}" for name, number in metrics["versions"].items())
    files = "\n".join(f"- `{name}`: SHA-256 `{digest}`" for name, digest in metrics["data"].items())
    speed = metrics["speed"]
    fast = f"{speed['questions_per_second']:g} questions a second ({speed['questions']:,} in all)"
    return f"Measured with {used}, {fast}, on\n\n{files}"
