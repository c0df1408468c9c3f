"""By what the report sorts questions into groups: each slice has a rule that names a question's
group, or None where the rule says nothing about it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from qa_demo.core.measuring.evaluation import bin_names, in_bins, question_word
from qa_demo.core.measuring.listed import HEADS, KINDS, kind
from qa_demo.core.measuring.metrics import normalize
from qa_demo.core.measuring.perturb import PERTURBATIONS, rule_of
from qa_demo.core.measuring.sentences import LOOKS, looks_like, sentences

Row = dict[str, Any]

QUESTION_WORDS = (1, 6, 9, 12, 16)
GOLD_WORDS = (1, 2, 3, 4, 6, 11)
TOKENS = (0, 100, 150, 200, 300, 500)
WINDOWS = (1, 2, 3, 5)
PLACES = ("first fifth", "second fifth", "third fifth", "fourth fifth", "last fifth")
MOST_ARTICLES = 20


@dataclass(frozen=True)
class Slice:
    """A title, the rule, what the rule says for a person, and the order of its names. `outcome`:
    the rule goes by what the reader answered, so that on its groups another reader differs anyway.
    """

    title: str
    name: Callable[[Row], str | None]
    says: str
    order: Sequence[str] = ()
    outcome: bool = False


def place(row: Row) -> str | None:
    """The fifth of the paragraph in which the first gold answer begins."""
    if row["gold_char"] is None or not row["context"]:
        return None
    return PLACES[min(4, 5 * row["gold_char"] // len(row["context"]))]


def first_gold(row: Row) -> dict[str, Any] | None:
    """The first gold answer that has a place."""
    return next((a for a in row["gold"] if a["char_start"] >= 0), None)


def answer_looks(row: Row) -> str | None:
    """What the first gold answer that has a place looks like (core.measuring.sentences)."""
    gold = first_gold(row)
    return None if gold is None else looks_like(gold["text"], gold["char_start"], row["context"])


def shared_words(row: Row) -> float | None:
    """Percent of the question's different words, after SQuAD's normalisation, that stand in the
    sentence where the first gold answer begins, too.
    """
    gold = first_gold(row)
    asked = set(normalize(row["question"]).split())
    home = [(a, b) for a, b in sentences(row["context"]) if gold and a <= gold["char_start"] < b]
    if not home or not asked:
        return None
    start, end = home[0]
    there = set(normalize(row["context"][start:end]).split())
    return 100 * len(asked & there) / len(asked)


def _share(row: Row) -> str | None:
    found = shared_words(row)
    return None if found is None else SHARE_NAMES[min(4, int(found // 20))]


SAYS = {"span": "The best span.", "bio": "Every span that the tags make."}
LISTS = "; ".join(f"{name}: {means}" for name, means in KINDS.items()) + "."
SHARE_NAMES = ("0 to 19 %", "20 to 39 %", "40 to 59 %", "60 to 79 %", "80 to 100 %")

SLICES: tuple[Slice, ...] = (
    Slice(
        "Question word",
        lambda row: question_word(row["question"]),
        "The first question word that stands in the question.",
    ),
    Slice(
        "Looks of the right answer",
        answer_looks,
        "A number where it holds a digit or a number word, else a name where a word inside a "
        "sentence begins with a capital letter, else words.",
        LOOKS,
    ),
    Slice(
        "Words of the question",
        lambda row: in_bins(max(1, len(row["question"].split())), QUESTION_WORDS),
        "Counted between blanks.",
        bin_names(QUESTION_WORDS),
    ),
    Slice(
        "Words of the right answer",
        lambda row: in_bins(
            max(1, row["gold_words"]) if row["gold_words"] is not None else None, GOLD_WORDS
        ),
        "The shortest right answer, after SQuAD's normalisation.",
        bin_names(GOLD_WORDS),
    ),
    Slice(
        "Shared words",
        _share,
        "How many of the question's words stand in the sentence of the right answer, too.",
        SHARE_NAMES,
    ),
    Slice(
        "Word pieces of the paragraph",
        lambda row: in_bins(row["tokens"], TOKENS),
        "Counted by this reader's tokenizer.",
        bin_names(TOKENS),
    ),
    Slice("Where the right answer begins", place, "By characters of the paragraph.", PLACES),
    Slice(
        "Windows",
        lambda row: in_bins(row["windows"], WINDOWS),
        "In how many windows this reader read the paragraph.",
        bin_names(WINDOWS),
    ),
    Slice(
        "Article",
        lambda row: row["title"] or None,
        f"The {MOST_ARTICLES} with most questions; the others together.",
    ),
)


AS_IT_WAS = "as it was"


def twins(rows: Sequence[Row]) -> tuple[Slice, ...]:
    """A slice by the rule that changed a question, where the file holds such questions."""
    if not any(rule_of(row["id"]) for row in rows):
        return ()
    says = "By the rule of perturb that made the question."
    order = (AS_IT_WAS, *PERTURBATIONS)
    return (Slice("Changed question", lambda row: rule_of(row["id"]) or AS_IT_WAS, says, order),)


def lists(rows: Sequence[Row]) -> tuple[Slice, ...]:
    """A slice for each head, where questions ask for a list: what kind of list it says."""
    found = [row["list"] for row in rows if row.get("list")]
    return tuple(
        Slice(f"List by {title}", partial(_kind_of, head), f"{SAYS[head]} {LISTS}", (*KINDS,), True)
        for head, title in HEADS.items()
        if found and all(one[head] is not None for one in found)
    )


def _kind_of(head: str, row: Row) -> str | None:
    """What a head says to a list; None for a single answer."""
    asked = row.get("list")
    return kind(asked["wanted"], asked[head]) if asked else None


def columns(rows: Sequence[Row]) -> tuple[Slice, ...]:
    """A slice for each further column of the file that sorts its questions into a few groups: at
    least two, and on average at least two questions in each.
    """
    names = dict.fromkeys(name for row in rows for name in row.get("columns", {}))
    found = (_column(name) for name in names)
    return tuple(one for one in found if 2 <= len({*map(one.name, rows)} - {None}) <= len(rows) / 2)


def _column(name: str) -> Slice:
    says = f"As the file says; the {MOST_ARTICLES} with most questions, the others together."
    return Slice(f"Column {name}", lambda row: row.get("columns", {}).get(name), says)


OTHERS = "others"


def named(one: Slice, rows: Sequence[Row]) -> list[str | None]:
    """The group of each row. Of a slice without an order, such as the articles, names beyond the
    MOST_ARTICLES most frequent share one, "others".
    """
    names = [one.name(row) for row in rows]
    if one.order or len(set(names) - {None}) <= MOST_ARTICLES:
        return names
    counts = Counter(name for name in names if name is not None)
    kept = set(sorted(counts, key=lambda name: (-counts[name], name))[:MOST_ARTICLES])
    return [name if name is None or name in kept else OTHERS for name in names]
