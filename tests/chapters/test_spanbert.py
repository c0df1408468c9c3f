"""Chapter 8: the guesses are a softmax by hand, the sums add up, every text goes through."""

import numpy as np
import pytest

from qa_demo.chapters import spanbert
from qa_demo.core.base import BadInput
from qa_demo.core.infill import Schemes, best, fill, right
from qa_demo.core.masking import blanks_of
from qa_demo.examples import Worth, hidden_in, load_menu, passages, shipped
from qa_demo.pictures import Pictures
from qa_demo.printed import signed
from tests.chapters.given import AtOnce, blocks, full, items, real, refused, words
from tests.fake_infiller import FakeInfiller
from tests.printed import unpacked


def shown(step=1, pictures=None, **own):
    state = {"chapter": "spanbert", "step": step, "own": {"spanbert": own}}
    return blocks(pictures or full(), **state)


@pytest.mark.parametrize(
    ("given", "text", "gone"),
    [
        ("Ada lives in [MASK].", "Ada lives in it.", ["it"]),
        ("un[mask]able [MASK][MASK]", "un it able it it", ["it", "it", "it"]),
        ("[MASK]", "it", ["it"]),
        ("one two three four five", "one two three four five", ["two three four"]),
        ("Oslo", "Oslo", ["Oslo"]),
        ("…", "…", ["…"]),
    ],
)
def test_a_typed_mask_hides_its_place_and_a_plain_sentence_its_middle(given, text, gone):
    asked = blanks_of(given)
    assert asked.text == text and [text[a:b] for a, b in asked.hidden] == gone
    assert asked.known == ("mask" not in given.lower())


def test_the_best_guesses_are_those_of_the_softmax_and_the_true_word_among_them():
    found = fill(hidden_in("curie"), FakeInfiller())
    figure = shown(passage="curie")["guesses-SBO"]
    bars, said = figure["data"], figure["alt"]
    for piece in found.plain.pieces:
        rows, true = best(piece.sbo, None), best(piece.sbo, piece.token)
        assert [r.p for r in rows] == sorted((g.p for g in piece.sbo.guesses), reverse=True)[:5]
        assert [r.true for r in true].count(True) == 1 and len(true) == 5
    drawn = [best(found.piece(found.first()).sbo, found.piece(found.first()).token), bars[0]["x"]]
    np.testing.assert_allclose([r.p for r in drawn[0]], unpacked(drawn[1]), rtol=1e-6)
    assert all(f"“{r.word}” 0." in said or f"“{r.word}” <" in said for r in drawn[0])


def test_blanks_are_numbered_in_their_span_and_named_with_their_two_boundaries():
    found, pressed, drawn = fill(hidden_in("curie"), FakeInfiller()), [], []
    for cut in (None, "right"):
        sentence = items(shown(passage="curie", cut=cut)["sentence"])
        blanks = [i for i in sentence if "blank" in i.get("looks", ())]
        pressed.append([(i["t"], *i["sets"].values(), "boxed" in i["looks"]) for i in blanks])
        drawn.append([i["under"] for i in sentence if "edge" in i.get("looks", ())])
    pieces = found.plain.pieces
    by_hand = [(str(p.at - p.run.start + 1), p.at, p.at == found.first()) for p in pieces]
    assert pressed == [by_hand, by_hand]
    assert drawn == [["word before", "word after"], ["word before", "averaged out"]]


def test_the_loss_of_a_blank_is_the_sum_of_both_and_a_cut_touches_sbo_alone():
    found, cut = shown(passage="curie"), shown(passage="curie", cut="left")
    *_, parts, total = words(found["formula"]).split("=")
    assert sum(map(float, parts.split("+"))) == pytest.approx(float(total), abs=0.011)
    assert found["guesses-MLM"] == cut["guesses-MLM"]
    assert found["guesses-SBO"]["data"] != cut["guesses-SBO"]["data"]
    a, b = (x["guesses-SBO"]["layout"]["xaxis"]["range"] for x in (found, cut))
    assert a == b and "now" in words(cut["formula"]) and " from " not in words(cut["finding"])
    p = words(found["formula"]).split("log ")[2].split()[0]
    assert float(p) < 0.0005 and " <0.001  ✓" in str(found["guesses-SBO"]["data"])
    assert f"−log {p}" in words(cut["formula"])


@pytest.mark.parametrize("name", list(passages())[::2])
@pytest.mark.parametrize("step", [1, 2])
def test_a_passage_goes_through(name, step):
    found = shown(step, passage=name)
    if step == 2:
        p = Schemes(passages()[name].text, 15, FakeInfiller())
        assert len(p.tokens.pieces) == len(p.spans.pieces)
        said = f"Here {right(p.tokens)} and {right(p.spans)} of {len(p.spans.pieces)} are right."
        assert said in words(found["closing"])
        assert "1 to 10 words: 0.224, 0.179, 0.143, " in words(found["exact-1"])
        assert len([i for i in items(found["twice"]) if "looks" in i]) == 2 * len(p.spans.pieces)


def test_own_sentences_edges_long_runs_and_a_model_without_the_layer_say_so():
    assert "SBO has no guess: its" in words(shown(text="[MASK] won.")["finding"])
    typed = words(shown(text="<b>Ada</b> <img src=x> lives *{}* [MASK] &amp;")["finding"])
    assert typed.endswith("at “*” and “&” and position 1.")
    assert "Marie" in str(shown(text="   ")["sentence"])
    assert shown(blank=999)["finding"] == shown()["finding"]  # one that is not hidden
    assert words(shown(text="e\u0301 \U0001f468\u200d\U0001f469 x\x00y")["finding"])
    filler = FakeInfiller()
    filler.encode = refused
    none = Pictures(load_menu(), full().reader, lambda: filler, work=AtOnce())
    assert "cannot be shown: this test" in words(shown(pictures=none)["finding"])
    assert shown(2, text="Ada lives in [MASK].")["finding"] == shown(2)["finding"]
    for fields in ({"text": "x" * 501}, {"cut": "top"}, {"passage": "none"}):
        with pytest.raises(BadInput):
            shown(**fields)
    edge = shown(passage="kilimanjaro", blank=0)
    assert "first token of the text" in words(edge["finding"]) and "cut" not in edge
    assert "SBO" not in words(edge["formula"])
    assert "20 rows" in words(shown(passage="apollo", blank=33)["finding"])
    alone = Pictures(load_menu(), full().reader, lambda: FakeInfiller(has_sbo=False), work=AtOnce())
    assert "no span boundary head" in words(shown(pictures=alone)["finding"])


def test_changes_add_up_to_the_bars_and_the_average_beside_a_blank_is_the_stored_one():
    paper, ours = Worth().paper, Worth().ours
    for found in ([*paper.values()], [*ours.values()]):
        assert found[0].f1 + sum(g.change for g in found[1:]) == pytest.approx(found[-1].f1)
    theirs, _ = shown(4)["gains"]["data"]
    assert theirs["x"] == pytest.approx([85.4 - 83.8, 86.7 - 85.4, 86.8 - 86.7])
    a, b, c = (np.array(ours[k].runs) for k in ("tokens", "spans", "SBO"))
    own = [row["cells"][4] for row in shown(4)["rows"]["rows"]][2:]
    assert own == [signed(np.mean(b - a), 1), "–", signed(np.mean(c - b), 1)]
    o, said = shipped("spanbert/metrics.json")["by_fate"]["mask"], words(shown()["closing"])
    both = f"{o['sbo_top1']:.1f} % right, MLM {o['mlm_top1_where_sbo']:.1f} %."
    assert said.endswith(f"of {o['sbo_pieces']:,} blanks in unseen texts SBO guesses {both}")


@pytest.mark.model
def test_the_real_model_shows_what_its_own_layers_say():
    for figure in (shown(1, real())[f"guesses-{layer}"] for layer in ("MLM", "SBO")):
        said = [label.split()[0] for label in figure["data"][1]["text"]]
        assert [x.split()[0].strip(",.") for x in figure["alt"].split("” ")[1:]] == said
    assert words(shown(2, real())["finding"])
    model = real().spanbert()
    sizes = {name: part.shape for name, part in model.sbo.state_dict().items()}
    assert sizes["position.weight"] == (model.positions, spanbert.POSITION_NUMBERS)
    assert sizes["dense2.weight"] == (shipped("spanbert/config.json")["hidden_size"],) * 2
