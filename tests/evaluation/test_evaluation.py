"""The report's data: every number stated anew from the lines it was made of."""

import json

import numpy as np
import pytest

from qa_demo.cli.report import html
from qa_demo.core.files.report_evaluate import question_json, refused_json
from qa_demo.core.measuring.attributed import PARTS
from qa_demo.core.measuring.failures import KINDS, judge, unread
from qa_demo.core.predict import predict
from qa_demo.core.types import Answer, DecodeOptions, Example, WindowOptions
from qa_demo.evaluation.evaluation import CHAPTER_OF, MEANING, chapter, report_data, settings
from qa_demo.evaluation.opened import by_word, chance, opened
from qa_demo.evaluation.own_slices import own_slice
from qa_demo.evaluation.slices import SLICES, answer_looks, named, place, shared_words
from qa_demo.state import CHAPTERS
from tests.fakes import FakeReader

CONTEXT = "The bridge was drawn by Ada Byron. It opened in 1998 near Malmö, and Bob paid for it."
ASKED = [
    ("Who drew it?", "Ada Byron"),
    ("When did it open?", "1998"),
    ("How many paid?", "Bob"),
    ("Where is it?", None),
    ("Who was king?", None),
]
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def lines(rules: str = "2.0", null: float = 2.0, name: str = "fake") -> list[dict]:
    reader = FakeReader(null=null, name=name)
    found = []
    for k, (question, text) in enumerate(ASKED):
        gold = () if text is None else (Answer(text, CONTEXT.index(text)),)
        example = Example(str(k), f"{question} {HOSTILE}", CONTEXT, gold, not gold)
        reading = reader.read(example.question, CONTEXT, WindowOptions(60, 12))
        prediction = predict(reading)
        judged = judge(reading, example, prediction, DecodeOptions(), rules)
        found.append(question_json(reading, example, prediction, judged, rules))
    return found


RUN = {"rules": "2.0", "reader": "fake", "file": "x.json", "threshold": 0.0, "options": {}}


def test_every_kind_has_a_meaning_and_a_chapter_of_the_page() -> None:
    assert set(MEANING) == set(CHAPTER_OF) == set(KINDS)
    keys = set(CHAPTERS)
    assert set(CHAPTER_OF.values()) <= keys
    assert chapter({"kind": "gold not reachable", "because": "window"}) == "windows"
    assert chapter({"kind": "gold not reachable", "because": "grid"}) == "spans"


def test_counts_and_means_are_those_of_the_lines() -> None:
    rows = lines()
    data = report_data(rows, RUN)
    whole, *parts = data["scores"][0]
    assert whole["count"] == len(ASKED)
    assert whole["f1"]["value"] == pytest.approx(100 * np.mean([row["f1"] for row in rows]))
    assert [part["name"] for part in parts] == ["questions with an answer", "without an answer"]
    for part, answered in zip(parts, (True, False), strict=True):
        of = [row["exact"] for row in rows if bool(row["gold"]) is answered]
        assert part["exact"]["value"] == pytest.approx(100 * np.mean(of))
    assert sum(kind["of"][0]["count"] for kind in data["kinds"]) == len(ASKED)
    for kind in data["kinds"]:
        of = [row["f1"] for row in rows if row["kind"] == kind["name"]]
        assert kind["of"][0]["f1"]["value"] == pytest.approx(100 * np.mean(of)) and kind["meaning"]
    answerable = sum(text is not None for _, text in ASKED)
    totals = {g["title"]: sum(row["count"] for row in g["rows"]) for g in data["groups"]}
    assert totals["Question word"] == totals["Windows"] == len(ASKED)
    assert totals["Words of the right answer"] == totals["Where the right answer begins"]
    assert totals["Where the right answer begins"] == answerable
    assert data["contexts"] == [CONTEXT]
    json.dumps(data, allow_nan=False)


def test_a_group_is_what_its_rows_say() -> None:
    """What a bar counts is what a press on it leaves in the table."""
    a, b = lines(), lines(null=90.0)
    data = report_data(a, RUN, b, RUN | {"reader": "other"})
    for k, group in enumerate(data["groups"]):
        for number, bar in enumerate(group["rows"]):
            of = [row for row in data["rows"] if row["groups"][k] == number]
            assert len(of) == bar["count"]
            assert bar["f1"]["value"] == pytest.approx(100 * np.mean([row["f1"] for row in of]))
            less = [100 * (row["f1"] - row["other"]["f1"]) for row in of]
            assert bar["difference"]["value"] == pytest.approx(np.mean(less))


def test_calibration_and_thresholds_are_there_where_they_mean_something() -> None:
    data = report_data(lines(), RUN, lines(null=90.0), RUN | {"reader": "b", "threshold": 3.0})
    sides = zip(data["calibration"], data["thresholds"], (0.0, 3.0), strict=True)
    for found, withheld, used in sides:
        assert found["questions"] == 3 and found["fitted"] is False
        assert withheld["used"] == used and len(withheld["points"]) > 1
    answered = [row for row in lines("1.1") if row["gold"]]
    assert report_data(answered, RUN | {"rules": "1.1"})["thresholds"] == [None]
    assert report_data(lines()[3:], RUN)["calibration"] == [None]


def test_two_readers_and_a_question_that_was_not_read() -> None:
    a, b = lines(), lines(null=90.0)
    data = report_data(a, RUN, b, RUN | {"reader": "other"})
    assert data["pair"]["both"] + data["pair"]["only_a"] <= len(ASKED)
    assert data["names"] == ["fake", "other"] and len(data["scores"]) == 2
    assert [row["other"]["answer"] for row in data["rows"]] == [None] * len(ASKED)
    counts = {kind["name"]: [of and of["count"] for of in kind["of"]] for kind in data["kinds"]}
    assert counts["withheld"][1] == 3 and counts["right"][1] == 2
    assert sum(of or 0 for of, _ in counts.values()) == len(ASKED)
    example = Example("9", "Who?", CONTEXT, (Answer("Ada", 24),))
    refused = refused_json(example, unread(example, "2.0"), "too long")
    assert set(refused) == set(a[0])
    shown = report_data([*a, refused], RUN)
    assert shown["rows"][-1]["span"] is None and shown["rows"][-1]["kind"] == "not read"


def test_an_opened_row_holds_both_readings_as_they_were() -> None:
    a, b = lines(), lines(null=90.0)
    data = report_data(a, RUN, b, RUN | {"reader": "other"})
    for shown, one, two in zip(data["rows"], a, b, strict=True):
        for found, row in ((shown, one), (shown["other"], two)):
            assert found["n"][0][:2] == [row["n_best"][0][k] for k in ("char_start", "char_end")]
            assert found["n"][0][2] == pytest.approx(row["n_best"][0]["score"], abs=5e-3)
            for side in ("start", "end"):
                said = dict(map(tuple, found[side]))
                for at, p in said.items():
                    word = range(at, at + len(CONTEXT[at:].split()[0]))
                    of = [x for a, _, x in row["probs"][side] if a in word]
                    assert p == pytest.approx(sum(of), abs=1e-4)
                assert sum(said.values()) + found["null"][side == "end"] <= 1.001
        assert one["answer"] == shown["answer"] and two["answer"] == shown["other"]["answer"]
    old = [{name: value for name, value in row.items() if name != "probs"} for row in a]
    assert report_data(old, RUN)["rows"][0]["start"] == []


def test_what_right_and_wrong_rest_on_is_the_mean_of_their_parts() -> None:
    rows = lines()
    assert report_data(rows, RUN)["attributed"] == [None]
    worth = {name: float(k) for k, name in enumerate(PARTS)}
    for k, row in enumerate(rows[:4]):
        row["kind"] = "right" if k % 2 else "border"
        parts = {name: k * value for name, value in worth.items()} | {"specials": None}
        words = [["question", 0, 3, 1.0], ["context", 4, 10, -2.0]]
        how = {"method": "leave_one_out", "complete": None}
        row["attribution"] = how | {"parts": parts, "words": words}
    data = report_data(rows, RUN)
    (found,) = data["attributed"]
    columns = [(one["name"], one["count"]) for one in found["columns"]]
    assert columns == [("right", 2), ("wrong", 2), ("border", 2)]
    for part in found["parts"][:-1]:
        means = [one["value"] for one in part["values"]]
        assert means == pytest.approx([worth[part["name"]] * x for x in (2, 1, 1)])
        assert part["difference"]["value"] == pytest.approx(worth[part["name"]])
    assert found["parts"][-1]["values"] == [None] * 3
    assert data["rows"][0]["rests"][0] == [CONTEXT[4:10], -2.0] and not data["rows"][4]["rests"]


def unsure(row: dict, rng: np.random.Generator) -> dict:
    """The line of a reader that holds every place for about as likely as any other."""
    text, places = row["context"], rng.integers(700, size=5)
    best = [{**row["n_best"][0], "char_start": int(a), "char_end": int(a) + 40} for a in places]
    for one, score in zip(best, np.sort(rng.normal(0, 3, 5))[::-1], strict=True):
        one |= {"score": float(score), "text": text[one["char_start"] : one["char_end"]]}
    pieces = [
        [[k, k + 3, float(p)] for k, p in zip(range(0, 240, 3), of, strict=True)]
        for of in rng.uniform(0.005, 0.012, (2, 80))
    ]
    probs = {"null": list(rng.random(2)), "start": pieces[0], "end": pieces[1]}
    said = {"answer": best[0]["text"], "score_diff": rng.normal(), "in_window": rng.random()}
    return row | said | {"n_best": best, "probs": probs}


def test_a_report_of_1500_questions_by_two_readers_stays_under_a_megabyte() -> None:
    rng, some = np.random.default_rng(0), lines()
    texts = ["".join(row) for row in rng.choice(list("etaoinshrdlu     "), (400, 800))]
    ids = rng.choice(list("0123456789abcdef"), (1500, 24))
    rows = [
        {**some[k % len(some)], "id": "".join(ids[k]), "question": texts[k % 400][k % 700 :][:60]}
        | {"context": texts[k // 4], "title": f"article {k // 40}"}
        for k in range(1500)
    ]
    a, b = ([unsure(row, rng) for row in rows] for _ in range(2))
    data = report_data(a, RUN, b, RUN | {"reader": "other"})
    assert len(html(data | {"page": "http://127.0.0.1:7860/"})) < 950_000


def test_of_many_small_chances_the_largest_are_kept_and_all_of_a_listed_word() -> None:
    rng, row = np.random.default_rng(1), lines()[0]
    for _ in range(50):
        chances = rng.dirichlet(np.full(60, rng.uniform(0.1, 20)), 4)
        sides = [
            [[4 * k + j, 4 * k + j + 1, float(p / 2)] for k, p in enumerate(of) for j in (0, 2)]
            for of in chances
        ]
        a, b = (
            row | {"context": "and " * 60, "probs": {"start": x, "end": y, "null": [0.0, 0.0]}}
            for x, y in (sides[:2], sides[2:])
        )
        listed = {4 * int(k) for k in np.flatnonzero(chances.round(4).max(axis=0) >= 0.05)}
        kept = [one[side] for one in opened(a, b) for side in ("start", "end")]
        for found, of in zip(kept, chances, strict=True):
            assert found == sorted(found) and listed <= {at for at, _ in found}
            exact = [of[at // 4] for at, _ in found]
            assert [p for _, p in found] == pytest.approx(exact, abs=1e-4)
            largest = {4 * int(k) for k in np.argsort(-of)[:5]}
            assert {at for at, _ in found} == largest | listed
    assert by_word("a \n", [[0, 1, 0.75], [2, 3, 0.5]]) == {0: 0.75}
    assert [chance(p) for p in (1.0, 0.99999, 0.5, 1e-9)] == [1, 0.9999, 0.5, 0]


def test_the_fifths_of_a_paragraph() -> None:
    row = {"context": "x" * 50, "gold_char": 0}
    fifths = [place(row | {"gold_char": k}).split()[0] for k in (0, 9, 10, 49)]
    assert fifths == ["first", "first", "second", "last"]
    assert place(row | {"gold_char": None}) is None


def test_slices_by_hand() -> None:
    text = "It rained. The bridge opened in 1998 near Malmö."
    gold = [{"text": "1998", "char_start": text.index("1998")}]
    row = {"question": "When did the bridge open?", "context": text, "gold": gold}
    # "when did bridge open" without the article: of four words one, "bridge", stands there
    assert shared_words(row) == 25.0 and answer_looks(row) == "number"
    assert shared_words(row | {"gold": []}) is None and answer_looks(row | {"gold": []}) is None
    assert shared_words(row | {"question": "the"}) is None
    (articles,) = (one for one in SLICES if one.title == "Article")
    rows = [{"title": f"t{k}"} for k in range(25)] + [{"title": "t24"}, {"title": ""}]
    found = named(articles, rows)
    assert found[24] == found[25] == "t24" and found[26] is None
    assert found.count("others") == 5


def test_two_files_of_one_reader_have_two_names() -> None:
    data = report_data(lines(), RUN, lines(null=90.0), RUN | {"threshold": 3.0})
    assert data["names"] == ["fake (A)", "fake (B)"]
    said = {name: values for name, *values in data["settings"]}
    assert said["threshold"][0].startswith("0.000") and said["threshold"][1].startswith("3.000")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rules": "1.1"}, "none: every question has an answer"),
        ({"options": {"null": "min_product"}}, "none: this scale withholds by itself"),
        ({"options": {"null": "none"}}, "none: nothing is withheld"),
    ],
)
def test_why_a_run_has_no_threshold(change: dict, said: str) -> None:
    assert ["threshold", said] in settings([RUN | {"threshold": None} | change])


def test_lists_have_scores_and_slices_of_their_own() -> None:
    rows = lines()
    assert report_data(rows, RUN)["lists"] == [{}]
    said = {"wanted": ["Ada", "Bo"], "span": ["Ada"], "bio": ["Ada", "Bo"]}
    for k, row in enumerate(rows):
        row["list"] = said if k < 2 else None
    data = report_data(rows, RUN)
    assert data["lists"][0]["tags"]["whole_lists"] == 100
    assert data["lists"][0]["start and end"]["total"] == 2
    groups = {one["title"]: one["rows"] for one in data["groups"]}
    counted = {k: [(g["name"], g["count"]) for g in v] for k, v in groups.items()}
    assert counted["List by start and end"] == [("one of several", 2)]
    assert counted["List by tags"] == [("whole", 2)]


def test_groups_made_of_the_first_readers_answers_compare_nobody() -> None:
    """Whoever stands first is right where "exact == 1": the other can only be worse there."""
    a, b = lines(), lines(null=90.0)
    for row in (*a, *b):
        row["list"] = {"wanted": ["Ada", "Bo"], "span": ["Ada"], "bio": ["Ada", "Bo"]}
    own = [own_slice("was right: 'a' if exact == 1 else 'b'"), own_slice("short: words(gold) < 2")]
    found = report_data(a, RUN, b, RUN | {"reader": "other"}, own)["groups"]
    silent = {one["title"] for one in found if one["says"].endswith("no Δ.")}
    assert silent == {"was right", "List by start and end", "List by tags"}
    for one in found:
        assert all((bar["difference"] is None) == (one["title"] in silent) for bar in one["rows"])
    assert not any("Δ" in one["says"] for one in report_data(a, RUN, own=own)["groups"])
