"""The tokenizer of a model folder, and the digest of the files that a reader is made of."""

import hashlib
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadCheckpoint
from qa_demo.model.checks import read_json, regular, sha256
from qa_demo.model.config import FAMILIES
from qa_demo.model.whole import transformers

_TOKENIZERS = {
    f"{name}Tokenizer{fast}" for name in (*FAMILIES.values(), "PreTrained") for fast in ("", "Fast")
} | {"TokenizersBackend"}
TOKENIZER_FILES = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "spm.model",
    "spiece.model",
    "sentencepiece.bpe.model",
)


def load_tokenizer(folder: Path, config: Any) -> Any:
    """The folder's tokenizer, of a class on the list and no larger than the model's vocabulary."""
    settings = read_json(folder, "tokenizer_config.json") or {}
    if not isinstance(settings, dict) or settings.get("auto_map"):
        raise BadCheckpoint(
            "tokenizer_config.json has the key 'auto_map', which chooses code; such readers are "
            "not loaded"
        )
    kind = settings.get("tokenizer_class")
    if kind is not None and kind not in _TOKENIZERS:
        raise BadCheckpoint(
            f"tokenizer_config.json has tokenizer_class {str(kind)[:40]!r}, which none of the "
            f"supported families uses"
        )
    for name in ("special_tokens_map.json", "added_tokens.json"):
        read_json(folder, name)
    files = [regular(folder, name) for name in TOKENIZER_FILES]
    if not any(files):
        raise BadCheckpoint("the tokenizer is missing (tokenizer.json)")
    tokenizer = transformers().AutoTokenizer.from_pretrained(
        folder, config=config, trust_remote_code=False, local_files_only=True
    )
    largest = max(tokenizer.get_vocab().values(), default=-1)
    if largest >= config.vocab_size:
        raise BadCheckpoint(
            f"tokenizer and model do not fit: the tokenizer has ids up to {largest}, "
            f"the model knows {config.vocab_size} word pieces"
        )
    return tokenizer


def digest(folder: Path, files: list[Path]) -> str:
    """One digest of config, tokenizer and weights, for folders that come without checksums.json."""
    parts = [
        folder / "config.json",
        *(path for name in TOKENIZER_FILES if (path := regular(folder, name)) is not None),
        *files,
    ]
    return hashlib.sha256("".join(sha256(path) for path in parts).encode()).hexdigest()
