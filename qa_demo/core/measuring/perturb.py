"""Changes of a question or its text after which the right answer is known: whether a reader's
answer survives them says more than one score. Sources: CheckList (Ribeiro et al. 2020, ACL) and
AddSent (Jia and Liang 2017, EMNLP). Each rule gives an example with its own answers, or None where
it does not apply.

A changed example's id is the first one's, "~" and the rule, so that the pair finds itself again.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.metrics import normalize
from qa_demo.core.measuring.sentences import looks_like, sentences
from qa_demo.core.types import Answer, Example

MARK = "~"
TYPOS = 2
LEAST_LETTERS = 4
AUXILIARY = re.compile(
    r"\b(is|are|was|were|did|does|do|can|could|has|have|had|will|would|should|may|might)\b",
    re.IGNORECASE,
)
NEGATED = re.compile(r"\b(not|never|no)\b|n't\b", re.IGNORECASE)


@dataclass(frozen=True)
class Sentence:
    """A sentence of some article, as it stands and after SQuAD's normalisation."""

    article: str
    text: str
    plain: str


@dataclass(frozen=True)
class Others:
    """What a rule may take from the rest of the file: sentences with their article, and answers
    that look like names.
    """

    sentences: tuple[Sentence, ...]
    names: tuple[str, ...]


def others(examples: Sequence[Example]) -> Others:
    """Sentences and names of a file, each once, in the file's order."""
    found: dict[tuple[str, str], None] = {}
    for context, title in dict.fromkeys((e.context, e.title) for e in examples):
        for start, end in sentences(context):
            found[title or context, context[start:end].strip()] = None
    names = dict.fromkeys(
        a.text
        for e in examples
        for a in e.answers
        if a.char_start >= 0 and looks_like(a.text, a.char_start, e.context) == "name"
    )
    each = (Sentence(article, text, normalize(text)) for article, text in found)
    return Others(tuple(each), tuple(names))


def typos(example: Example, _: Others, rng: random.Random) -> Example | None:
    """Two neighbouring letters change places in two words of the question (CheckList, "typos"). The
    answers stay.
    """
    words = list(re.finditer(rf"[^\W\d_]{{{LEAST_LETTERS},}}", example.question))
    if not words:
        return None
    letters = list(example.question)
    for word in rng.sample(words, min(TYPOS, len(words))):
        places = [
            k for k in range(word.start() + 1, word.end() - 1) if letters[k] != letters[k + 1]
        ]
        if places:
            k = rng.choice(places)
            letters[k], letters[k + 1] = letters[k + 1], letters[k]
    changed = "".join(letters)
    return None if changed == example.question else replace(example, question=changed)


def distractor(example: Example, file: Others, rng: random.Random) -> Example | None:
    """A sentence of another article follows the paragraph: the one that shares most words with the
    question and holds no right answer (after AddSent, whose sentences were written). The answers
    stay.
    """
    asked = set(normalize(example.question).split())
    golds = [normalize(a.text) for a in example.answers if normalize(a.text)]

    fits = [
        (len(asked & set(one.plain.split())), one.text)
        for one in file.sentences
        if one.article != (example.title or example.context)
        and not any(f" {gold} " in f" {one.plain} " for gold in golds)
    ]
    if not fits:
        return None
    most = max(shared for shared, _ in fits)
    chosen = rng.choice([text for shared, text in fits if shared == most])
    return replace(example, context=f"{example.context.rstrip()} {chosen}")


def negated(example: Example, _: Others, rng: random.Random) -> Example | None:
    """ "not" stands behind the question's first auxiliary verb, and the text answers no more (the
    negations of SQuAD 2.0, Rajpurkar et al. 2018). Only questions with an answer.
    """
    verb = AUXILIARY.search(example.question)
    if verb is None or NEGATED.search(example.question) or not example.answers:
        return None
    question = f"{example.question[: verb.end()]} not{example.question[verb.end() :]}"
    return replace(example, question=question, answers=(), is_impossible=True, spans=())


def another_name(example: Example, file: Others, rng: random.Random) -> Example | None:
    """The right answer, where it looks like a name, becomes another name of the file wherever it
    stands in the text (CheckList, "change names"): the answer is the new name.
    """
    texts = {a.text for a in example.answers}
    if len(texts) != 1 or example.answers[0].char_start < 0:
        return None
    (name,) = texts
    at = example.answers[0].char_start
    if looks_like(name, at, example.context) != "name" or name in example.question:
        return None
    fits = [
        n
        for n in file.names
        if len(n.split()) == len(name.split())
        and n not in example.context
        and n not in example.question
    ]
    if not fits:
        return None
    new, whole = rng.choice(fits), re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    starts = [match.start() for match in whole.finditer(example.context)]
    if at not in starts:  # a part of a longer word, or the text repeats itself
        return None
    context = whole.sub(lambda _: new, example.context)
    start = at + starts.index(at) * (len(new) - len(name))
    return replace(example, context=context, answers=(Answer(new, start),))


def shuffled(example: Example, _: Others, rng: random.Random) -> Example | None:
    """The sentences of the paragraph stand in another order (CheckList's invariance tests). Only
    where every right answer lies within one sentence; the answers stay, at their new places.
    """
    ranges = sentences(example.context)
    if len(ranges) < 2 or any(a.char_start < 0 for a in example.answers):
        return None
    order = list(range(len(ranges)))
    while order == sorted(order):
        rng.shuffle(order)
    pieces = [example.context[a:b].strip() for a, b in ranges]
    starts, at = {}, 0
    for k in order:
        starts[k] = at
        at += len(pieces[k]) + 1
    context = " ".join(pieces[k] for k in order)
    answers = []
    for answer in example.answers:
        home = [k for k, (a, b) in enumerate(ranges) if a <= answer.char_start < b]
        if not home:
            return None
        a, b = ranges[home[0]]
        lead = len(example.context[a:b]) - len(example.context[a:b].lstrip())
        moved = Answer(answer.text, starts[home[0]] + answer.char_start - a - lead)
        if context[moved.char_start : moved.char_end] != answer.text:  # it crosses a sentence's end
            return None
        answers.append(moved)
    return replace(example, context=context, answers=tuple(answers))


class Rule(NamedTuple):
    """What a rule does, in words, and as a function."""

    says: str
    change: Callable[[Example, Others, random.Random], Example | None]


PERTURBATIONS: Mapping[str, Rule] = {
    "typos": Rule("two neighbouring letters swapped in two words of the question", typos),
    "distractor": Rule("a sentence of another article behind the paragraph", distractor),
    "negated": Rule("a 'not' behind the question's verb; no answer any more", negated),
    "another-name": Rule("the answer's name replaced in the text", another_name),
    "shuffled": Rule("the sentences in another order", shuffled),
}


def perturbed(
    examples: Sequence[Example], wanted: Sequence[str], seed: int = 0, file: Others | None = None
) -> list[Example]:
    """Each example, followed by what each wanted rule makes of it with sentences and names of
    `file`, by default the examples' own. The draw hangs on seed, id and rule alone, so that another
    order changes nothing. Errors: BadInput.
    """
    if len(set(wanted)) != len(wanted) or not set(wanted) <= set(PERTURBATIONS):
        raise BadInput(
            f"the rules are {', '.join(PERTURBATIONS)}, each once, got {', '.join(wanted)[:80]}"
        )
    odd = next((e.id for e in examples if MARK in e.id), None)
    if odd is not None:
        raise BadInput(f"'{MARK}' marks a changed question, and the id {odd[:40]!r} holds it")
    file, found = file or others(examples), []
    for example in examples:
        found.append(example)
        for name in wanted:
            rng = random.Random(f"{seed} {example.id} {name}")
            new = PERTURBATIONS[name].change(example, file, rng)
            if new is not None:
                found.append(replace(new, id=f"{example.id}{MARK}{name}"))
    return found


@dataclass(frozen=True)
class Survival:
    """Of the `right` questions that were exactly right before a rule changed them, how many are
    so afterwards; `lost` names some that are not.
    """

    rule: str
    pairs: int
    right: int
    survived: int
    lost: tuple[str, ...]


MOST_LOST = 3


def rule_of(name: str) -> str | None:
    """The rule that made the question of this id; None for one that no rule made."""
    _, mark, rule = name.rpartition(MARK)
    return rule if mark and rule in PERTURBATIONS else None


def twins(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[tuple[int, int]]]:
    """For each rule its pairs: where a question stands among the rows, and where its twin does."""
    at = {row["id"]: k for k, row in enumerate(rows)}
    found: dict[str, list[tuple[int, int]]] = {}
    for name, k in at.items():
        rule, first = rule_of(name), at.get(name.rpartition(MARK)[0])
        if rule is not None and first is not None:
            found.setdefault(rule, []).append((first, k))
    return {rule: found[rule] for rule in PERTURBATIONS if rule in found}


def survival(rows: Sequence[Mapping[str, Any]]) -> tuple[Survival, ...]:
    """How often a right answer survives each rule, from judged rows with `id` and `exact`; nothing
    for no pairs.
    """
    found = []
    for rule, pairs in twins(rows).items():
        right = [rows[twin] for first, twin in pairs if rows[first]["exact"] == 1]
        lost = tuple(row["id"] for row in right if row["exact"] != 1)
        survived = len(right) - len(lost)
        found.append(Survival(rule, len(pairs), len(right), survived, lost[:MOST_LOST]))
    return tuple(found)
