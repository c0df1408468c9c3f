"""Tiny random readers of every family, of visible vocabularies, saved as ordinary folders."""

import gzip
import json
import string
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as Bytes
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.processors import TemplateProcessing

from qa_demo.core.types import Window, WindowOptions

transformers.logging.disable_progress_bar()  # of writing a model: stderr is a command's alone
WORDS = ["the", "bridge", "was", "designed", "by", "who", "tower", "river", "in", "and"]
ENDINGS = ["s", "ed", "ing", "er"]
LETTERS = string.ascii_lowercase + string.digits + string.punctuation + "äöüéøñß"
SPELLED = "Bert DistilBert Roberta Electra XLMRoberta Camembert Albert MPNet Deberta DebertaV2"
OWN = {"XLMRoberta": "xlm-roberta", "DebertaV2": "deberta-v2"}
CLASSES = {OWN.get(name, name.lower()): name for name in [*SPELLED.split(), "ModernBert"]}
"""How transformers spells a family in the names of its classes."""
FAMILIES = list(CLASSES)
ALONE = {"deberta", "deberta-v2", "modernbert"}
"""Families whose first layer norm sees the word alone."""
TAGGED = {"bert", "roberta"}
"""Families whose readers here have a head for tags."""
QUESTION = "Who designed the bridge?"
CONTEXT = (
    "The bridge over the river was designed by George Rotne and the towers by Ingeborg Åse. "
    "It opened in 1998, and the tower was painted twice. "
) * 3


def _word_pieces(special: list[str]) -> dict[str, int]:
    endings, letters = ([f"##{part}" for part in parts] for parts in (ENDINGS, LETTERS))
    pieces = [*special, *WORDS, *endings, *LETTERS, *letters]
    return {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}


def _byte_level(special: list[str]) -> tuple[dict[str, int], list[tuple[str, str]]]:
    merges = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("Ġ", "w"), ("Ġ", "b")]
    merges += [("r", "i"), ("n", "g"), ("i", "ng")]
    pieces = special + sorted(ByteLevel.alphabet()) + ["".join(pair) for pair in merges]
    return {piece: i for i, piece in enumerate(pieces)}, merges


def _unigram(special: list[str]) -> list[tuple[str, float]]:
    letters = dict.fromkeys(LETTERS + string.ascii_uppercase)
    pieces = [f"▁{w}" for w in WORDS] + ENDINGS + ["▁"] + [f"▁{c}" for c in letters] + list(letters)
    found = {piece: -2.0 - 1.5 * (len(piece) < 3) for piece in pieces}
    return list((dict.fromkeys(special, 0.0) | found).items())


def _plain_byte_level(special: list[str]) -> Any:
    """Without a class of its own, as ModernBERT's: pieces of bytes, framed as BERT's are."""
    vocab, merges = _byte_level(special)
    words = Tokenizer(BPE(vocab, merges, unk_token="[UNK]"))
    words.pre_tokenizer, words.decoder = ByteLevel(add_prefix_space=False), Bytes()
    words.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocab["[CLS]"]), ("[SEP]", vocab["[SEP]"])],
    )
    names = ("pad", "unk", "cls", "sep", "mask")
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=words,
        model_input_names=["input_ids", "attention_mask"],
        **{f"{name}_token": f"[{name.upper()}]" for name in names},
    )


def tokenizer(family: str) -> Any:
    """A small tokenizer of the family's own class."""
    bert = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    roberta = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    if family == "modernbert":
        return _plain_byte_level(bert)
    if family in ("bert", "distilbert", "electra"):
        return transformers.BertTokenizer(vocab=_word_pieces(bert))
    own = getattr(transformers, f"{CLASSES[family]}Tokenizer")
    if family in ("roberta", "deberta"):
        vocab, merges = _byte_level(roberta if family == "roberta" else bert)
        return own(vocab=vocab, merges=merges)
    if family == "mpnet":
        return own(vocab=_word_pieces(["<s>", "<pad>", "</s>", "[UNK]", "<mask>"]))
    special = {"albert": ["<pad>", "<unk>", *bert[2:]], "deberta-v2": bert}
    return own(vocab=_unigram(special.get(family, roberta)))


def config(family: str, vocab_size: int, **changes: Any) -> Any:
    """Two layers of width 16, two heads, 64 usable positions."""
    shifted = family in ("roberta", "xlm-roberta", "camembert", "mpnet")
    sizes: dict[str, Any] = {"vocab_size": vocab_size, "pad_token_id": int(shifted)}
    sizes["max_position_embeddings"] = 66 if shifted else 64
    if family == "distilbert":
        sizes |= {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32}
    else:
        sizes |= {"hidden_size": 16, "intermediate_size": 32}
        sizes |= {"num_hidden_layers": 2, "num_attention_heads": 2}
    if family in ("electra", "albert"):
        sizes["embedding_size"] = 8
    if shifted and family != "mpnet":
        sizes["type_vocab_size"] = 1
    if family in ("deberta", "deberta-v2"):
        sizes |= {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "type_vocab_size": 0}
        sizes |= {"max_relative_positions": 32, "position_biased_input": False}
    if family == "deberta-v2":
        sizes |= {"position_buckets": 8, "norm_rel_ebd": "layer_norm", "share_att_key": True}
        sizes |= {"conv_kernel_size": 3, "conv_act": "gelu"}
    if family == "modernbert":
        sizes |= {"local_attention": 16, "global_attn_every_n_layers": 2}
        sizes |= {f"{name}_token_id": i for i, name in enumerate(("pad", "unk", "cls", "sep"))}
        sizes |= {"bos_token_id": 2, "eos_token_id": 3}
    return getattr(transformers, f"{CLASSES[family]}Config")(**(sizes | changes))


def made(folder: Path, family: str, kind: str, std: float = 0.0, **changes: Any) -> Any:
    """A random model whose class ends in `kind`, and its tokenizer; `std`: of its matrices."""
    words = tokenizer(family)
    torch.manual_seed(7)
    model = getattr(transformers, CLASSES[family] + kind)(config(family, len(words), **changes))
    for parameter in model.parameters():
        if std and parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=std)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return model


def save(
    folder: Path, family: str = "bert", *, bio: bool = False, threshold: Any = None, **changes: Any
) -> Path:
    """A random reader in `folder`; weights large enough that positions differ clearly."""
    made(folder, family, "ForQuestionAnswering", 0.3, **changes)
    if bio:
        head = {"weight": torch.randn(3, 16), "bias": torch.randn(3)}
        save_file(head, folder / "bio_head.safetensors", metadata={"0": "B", "1": "I", "2": "O"})
    if bio or threshold is not None:
        about = {"name": "tiny", "threshold": threshold, "tag_order": ["B", "I", "O"]}
        (folder / "reader.json").write_text(json.dumps(about))
    return folder


def plain(folder: Path, window: Window) -> tuple[torch.nn.Module, dict[str, torch.Tensor]]:
    """A model of transformers' own in the same folder, and the inputs that it takes of a window."""
    model = transformers.AutoModelForQuestionAnswering.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    inputs = {"input_ids": torch.tensor(window.input_ids)[None]}
    if (getattr(model.config, "type_vocab_size", 0) or 0) > 1:
        inputs["token_type_ids"] = torch.tensor(window.token_type_ids)[None]
    return model, inputs


def assert_as_transformers(reader: Any, folder: Path, *asked: str, apart: float = 3e-6) -> None:
    """The logits of an ordinary call of the folder's tokenizer and model, `apart` of the largest:
    three layers in one small product differ in the last digit on a processor without AVX-512.
    """
    words = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model, info = transformers.AutoModelForQuestionAnswering.from_pretrained(
        folder, dtype=torch.float32, local_files_only=True, output_loading_info=True
    )
    assert not info["missing_keys"] and not info["unexpected_keys"]
    inputs = words(*asked, return_tensors="pt")  # the tokenizer decides whether segments are fed
    call = torch.inference_mode()(model.eval())
    out = reader.passes.run(lambda: call(**inputs))  # as many threads: they move the last digit
    (ids,) = inputs["input_ids"].tolist()
    reading = reader.read(*asked, WindowOptions(len(ids), 5))
    assert [window.input_ids.tolist() for window in reading.windows] == [ids]
    expected = np.stack([out.start_logits[0], out.end_logits[0]])
    within = apart * np.abs(expected).max()
    np.testing.assert_allclose(reading.logits(0), expected, rtol=0, atol=within)


def asked(name: str, question: str, context: str, *texts: str, **more: Any) -> dict[str, Any]:
    """A question of a SQuAD file, with these answers."""
    answers = [{"text": text, "answer_start": context.index(text)} for text in texts]
    return {"id": name, "question": question, "answers": answers, **more}


def written(path: Path, *articles: Sequence[tuple[str, list[dict[str, Any]]]]) -> Path:
    """A SQuAD file: of each article its paragraphs, each with its questions."""
    data = [
        {"title": f"t{k}", "paragraphs": [{"context": c, "qas": qas} for c, qas in paragraphs]}
        for k, paragraphs in enumerate(articles)
    ]
    raw = json.dumps({"data": data}).encode()
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path
