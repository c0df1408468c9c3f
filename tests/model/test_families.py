"""Every family loads, and reads what transformers reads: the same windows, the same logits."""

from collections.abc import Iterator
from functools import cache
from itertools import chain, combinations_with_replacement, starmap

import numpy as np
import pytest
import regex
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.processors import TemplateProcessing
from transformers import AutoModelForQuestionAnswering, AutoTokenizer

from qa_demo.core.base import BadCheckpoint
from qa_demo.core.text import trimmed
from qa_demo.core.types import Span, WindowOptions
from qa_demo.core.windows import capacity_of, make_windows
from qa_demo.model.forward import adds_no_position, knows_token_types, longest_input
from qa_demo.model.tokenizer import BLANK, LETTERS, encode, prepare, whole
from qa_demo.texts import word_parts
from tests import odd
from tests.model import kit

UNICODE = "Café\u0301 in Åse:  東京 🙂👩‍👩‍👧 was\tthe\r\nriver \u00a0 x\u200by  " * 4


def cuts(asked: int, taken: int) -> Iterator[tuple[int, int]]:
    """Lengths and steps of windows for a question of so many tokens, which take `taken` of each."""
    for length in (asked + 5, asked + 12, asked + 40, 300):
        room = length - taken
        for step in sorted({1, 2, room // 2, room - 1, room}):
            if 1 <= step <= room and (step > 2 or length < 60):
                yield length, step


@pytest.mark.parametrize("context", [kit.CONTEXT, UNICODE, "river", "A. " * 70], ids=len)
def test_windows_equal_the_tokenizers_overflow(family, context):
    words, oracle = kit.tokenizer(family), kit.tokenizer(family)
    encoding, counts = encode(words, kit.QUESTION, context), []
    split = {"split_special_tokens": True}
    alone = oracle(context, add_special_tokens=False, return_offsets_mapping=True, **split)
    every = trimmed(context, np.array(alone["offset_mapping"]).reshape(-1, 2))
    of_letters = every.copy()
    blank = np.array(alone["input_ids"]) == oracle.get_vocab().get("▁", -1)
    of_letters[blank, 1] = of_letters[blank, 0]
    np.testing.assert_array_equal(encoding.offset_mapping, whole(context, of_letters))
    asked = len(encoding.question_ids)
    for length, step in cuts(asked, asked + encoding.n_special):
        options = WindowOptions(max_seq_length=length, doc_stride=step)
        sizes = {"max_length": length, "stride": capacity_of(encoding, options) - step}
        wanted = ("overflowing_tokens", "offsets_mapping", "token_type_ids")
        more = {f"return_{name}": True for name in wanted} | split | sizes
        expected = oracle(kit.QUESTION, context, truncation="only_second", **more)
        windows = make_windows(encoding, options)
        assert [w.input_ids.tolist() for w in windows] == expected["input_ids"]
        types = [w.token_type_ids.tolist() for w in windows]
        if "token_type_ids" not in words.model_input_names:
            assert not any(map(any, types))
        else:
            # elsewhere (DeBERTa) the library's later windows disagree with its own first
            held = None if 1 in expected["token_type_ids"][0] else 1
            assert types[:held] == expected["token_type_ids"][:held]
        sides = [expected.sequence_ids(index) for index in range(len(windows))]
        assert [w.is_context.tolist() for w in windows] == [[x == 1 for x in one] for one in sides]
        pairs = zip(chain(*expected["offset_mapping"]), chain(*sides), strict=True)
        offsets = np.array([offset for offset, side in pairs if side == 1])
        ours = np.concatenate([every[w.doc_start : w.doc_stop] for w in windows])
        np.testing.assert_array_equal(ours, trimmed(context, offsets))
        counts.append(len(windows))
    assert max(counts) > 1 or context == "river"


def test_special_tokens_typed_by_a_user_stay_text(family):
    words = kit.tokenizer(family)
    special = {words.cls_token_id, words.sep_token_id, words.mask_token_id, words.pad_token_id}
    found = encode(words, "[SEP] who", "[CLS] the [SEP] </s> <s> [MASK] <mask> <pad> [PAD] bridge")
    assert not special & {*found.context_ids.tolist(), *found.question_ids.tolist()}
    shown = zip(found.context_ids.tolist(), found.context_tokens, strict=True)
    unknown = {token for i, token in shown if i == words.unk_token_id}
    in_the_vocabulary = family in ("xlm-roberta", "camembert", "albert", "deberta-v2")
    assert unknown == ({words.unk_token} if in_the_vocabulary else set()), "else they are spelled"
    window = make_windows(found, WindowOptions(300, 1))[0]
    assert len([i for i in window.input_ids.tolist() if i in special]) == found.n_special


def test_logits_are_those_of_an_ordinary_call_of_transformers(folder, reader):
    kit.assert_as_transformers(reader, folder, "who designed", "the bridge by the river")


def test_an_answer_never_starts_or_ends_with_a_blank(family):
    context = "  the   bridge \n was  designed "
    encoding = encode(kit.tokenizer(family), "who", context)
    texts = [context[a:b] for a, b in encoding.offset_mapping]
    assert all(text == text.strip() for text in texts) and "".join(texts) == "thebridgewasdesigned"
    assert all(word_parts(encoding, d)[0][0] in ("“", "“␣") for d in range(len(texts))), "empty"
    # pieces that hold only the blank before a word (RoBERTa, ALBERT) stand at either end of some
    for span in starmap(Span, combinations_with_replacement(range(len(texts)), 2)):
        text, (start, end) = encoding.text(span), encoding.chars(span)
        assert text == text.strip() and text == context[start:end] and start <= end
        assert "".join(text.split()) == "".join(texts[span.start : span.end + 1])
        assert encoding.ranges([span.start], [span.end]).tolist() == [[start, end]]


def test_what_no_piece_holds_joins_the_one_it_touches_else_the_one_before():
    found = whole("a-b - -c", np.array([[0, 1], [2, 3], [7, 8]]))
    assert found.tolist() == [[0, 2], [2, 5], [6, 8]]
    assert whole("- a", np.array([[2, 2], [2, 3]])).tolist() == [[0, 0], [0, 3]]


def test_a_blank_holds_no_letter_and_a_control_character_parts_two_words(family):
    parted, blank = (encode(kit.tokenizer(family), "who", f"the{c}bridge") for c in ("\f", " "))
    np.testing.assert_array_equal(parted.context_ids, blank.context_ids)
    assert parted.text(Span(0, len(blank.context_ids) - 1)) == "the\fbridge"
    dropped = encode(kit.tokenizer(family), "who", "a\0b c").offset_mapping
    assert dropped[-1].tolist() == [4, 5], "places count in the text as given"
    pieces = encode(kit.tokenizer(family), "who", "by 東").offset_mapping.tolist()
    assert pieces.count([3, 4]) == (3 if family in ("roberta", "deberta", "modernbert") else 1)


ONCE = cache(kit.tokenizer)


@given(
    text=st.text(odd.LETTERS, max_size=24)
    | st.text("ae\u0301\u200d\ufe0f\U0001f469 \n\u1112\u1161\u0915\u094d\0")
)
def test_no_character_is_lost_and_no_end_parts_a_grapheme(family, text):
    encoding = encode(ONCE(family), "who", text)
    borders = {0, *(m.end() for m in regex.finditer(r"\X", text))}
    held = {k for start, end in encoding.offset_mapping.tolist() for k in range(start, end)}
    assert not held or {k for k, c in enumerate(text) if not c.isspace()} <= held
    for first, last in combinations_with_replacement(range(len(encoding.context_ids)), 2):
        span = Span(first, last)
        start, end = encoding.chars(span)
        assert (encoding.text(span) == text[start:end] and {start, end} <= borders) or start == end


@pytest.mark.parametrize(("held", "lost"), [("Aa019", "É é ß .* others"), (LETTERS[:-1], "ꀀ$")])
def test_a_tokenizer_that_leaves_letters_out_is_refused(held, lost):
    tokenizer = type("Latin", (), {})()
    tokenizer.backend_tokenizer = Tokenizer(BPE({c: k for k, c in enumerate(held)}, []))
    with pytest.raises(BadCheckpoint, match=rf"letters.* then: {lost}"):
        prepare(tokenizer)


@pytest.mark.parametrize("pair", ["[CLS] $B $A [SEP]", "$A [CLS] $B", "[SEP] $A $B [CLS]"])
def test_a_tokenizer_that_joins_two_texts_otherwise_is_refused(pair):
    words = kit.tokenizer("bert")
    named = [(name, words.convert_tokens_to_ids(name)) for name in ("[CLS]", "[SEP]")]
    words.backend_tokenizer.post_processor = TemplateProcessing(pair=pair, special_tokens=named)
    with pytest.raises(BadCheckpoint, match=r"does not put \[CLS\], the question and then"):
        encode(words, "who the", "the river")


def test_pieces_are_shown_as_the_letters_they_cover(family, folder):
    found = encode(AutoTokenizer.from_pretrained(folder), kit.QUESTION, UNICODE + kit.CONTEXT)
    shown = [*found.context_tokens, *found.prefix_tokens[1 : 1 + len(found.question_ids)]]
    assert not [token for token in shown if set(token) & set("Ġ▁Ċ")]
    if family in ("bert", "distilbert", "electra", "mpnet"):  # WordPiece's own form
        assert any(token.startswith("##") for token in shown)
        return
    for doc, token in enumerate(found.context_tokens):
        assert token in (found.text(Span(doc, doc)) or BLANK, "<unk>", "[UNK]")


@pytest.mark.parametrize("pad", [None, 0])
def test_the_longest_input_is_what_the_model_itself_accepts(family, folder, pad):
    """The oracle is transformers' own model: it fails at one position more than we say."""
    changes = {} if pad is None else {"pad_token_id": pad}
    model = AutoModelForQuestionAnswering.from_pretrained(folder, **changes)
    longest = longest_input(model.config)
    for length in (longest, longest + 1):
        ids = torch.full((1, length), 20)
        inputs = {"input_ids": ids}
        if knows_token_types(model.config):
            inputs["token_type_ids"] = torch.ones_like(ids)
        if length == longest:
            assert model(**inputs).start_logits.shape == (1, longest)
        elif not adds_no_position(model.config):
            with pytest.raises((IndexError, RuntimeError)):
                model(**inputs)
