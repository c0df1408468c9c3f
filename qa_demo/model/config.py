"""Read a model folder's config.json ourselves and build the family's configuration from an
allow-list of keys.

A config.json can choose code: `auto_map` names Python files, and an attention implementation that
is a hub address makes transformers fetch a kernel even when the caller asked for another one. So
the file never reaches the library.
"""

from typing import Any

from qa_demo.core.base import BadCheckpoint
from qa_demo.model.whole import transformers

FAMILIES = {
    "bert": "Bert",
    "distilbert": "DistilBert",
    "roberta": "Roberta",
    "xlm-roberta": "XLMRoberta",
    "camembert": "Camembert",
    "electra": "Electra",
    "albert": "Albert",
    "mpnet": "MPNet",
    "deberta": "Deberta",
    "deberta-v2": "DebertaV2",
    "modernbert": "ModernBert",
}
"""model_type -> the class prefix in transformers."""

# key -> smallest and largest value; the largest is far above any published reader of these families
_WHOLE = {
    "vocab_size": (1, 2_000_000),
    "hidden_size": (1, 16_384),
    "dim": (1, 16_384),
    "embedding_size": (1, 16_384),
    "attention_head_size": (1, 16_384),
    "intermediate_size": (1, 131_072),
    "hidden_dim": (1, 131_072),
    "num_hidden_layers": (1, 100),
    "n_layers": (1, 100),
    "num_attention_heads": (1, 256),
    "n_heads": (1, 256),
    "num_hidden_groups": (1, 100),
    "inner_group_num": (1, 16),
    "max_position_embeddings": (1, 65_536),
    "type_vocab_size": (0, 16),
    "pad_token_id": (0, 2_000_000),
    "relative_attention_num_buckets": (1, 4_096),
    "max_relative_positions": (-1, 65_536),
    "position_buckets": (-1, 65_536),
    "conv_kernel_size": (0, 31),
    "conv_groups": (1, 16_384),
    "local_attention": (2, 65_536),
    "global_attn_every_n_layers": (1, 100),
}
_THETA = (1.0, 1e9)
_NUMBERS = {
    "layer_norm_eps": (0.0, 1.0),
    "norm_eps": (0.0, 1.0),
    "global_rope_theta": _THETA,
    "local_rope_theta": _THETA,
}
_FLAGS = {
    "relative_attention",
    "position_biased_input",
    "share_att_key",
    "sinusoidal_pos_embds",
    "norm_bias",
    "attention_bias",
    "mlp_bias",
    "classifier_bias",
}
_ACTIVATIONS = {
    "gelu",
    "gelu_new",
    "gelu_fast",
    "gelu_python",
    "gelu_pytorch_tanh",
    "relu",
    "silu",
    "swish",
    "tanh",
    "quick_gelu",
}
_WORDS = {
    "hidden_act": _ACTIVATIONS,
    "activation": _ACTIVATIONS,
    "conv_act": _ACTIVATIONS,
    "hidden_activation": _ACTIVATIONS,
    "classifier_activation": _ACTIVATIONS,
    "norm_rel_ebd": {"none", "layer_norm"},
}
_CHOOSE_CODE = (
    "auto_map",
    "custom_pipelines",
    "quantization_config",
    "fusion_config",
    "transformers_weights",
)
_KNOWN_ATTENTION = {None, "", "eager", "sdpa", "flash_attention_2"}
# Switches that would change the meaning of the weights and that no reader here implements: allowed
# only at this value.
_FIXED = {
    "is_decoder": False,
    "add_cross_attention": False,
    "is_encoder_decoder": False,
    "position_embedding_type": "absolute",
    "talking_head": False,
}

SHIFTED = ("roberta", "xlm-roberta", "camembert", "mpnet")
"""Families whose first position is padding id + 1, so that the rows up to there are never used."""


def longest_input(config: Any) -> int:
    """A model's longest input, special tokens included: rows that positions can have."""
    unused = int(config.pad_token_id or 0) + 1 if config.model_type in SHIFTED else 0
    return int(config.max_position_embeddings) - unused


def knows_token_types(config: Any) -> bool:
    """Whether token types tell question from paragraph: not in DistilBERT, MPNet, DeBERTa."""
    return (getattr(config, "type_vocab_size", 0) or 0) > 1


def adds_no_position(config: Any) -> bool:
    """Whether a word's vector reaches the first layer norm alone (positions in attention)."""
    relative = getattr(config, "position_biased_input", True) is False
    return relative or config.model_type == "modernbert"


def _refuse(cause: str) -> BadCheckpoint:
    return BadCheckpoint(f"config.json {cause}")


def _refuse_code(raw: dict[str, Any]) -> None:
    for key in _CHOOSE_CODE:
        if raw.get(key):
            raise _refuse(
                f"has the key '{key}', which chooses code or files; readers that need their own "
                f"code are not loaded"
            )
    for key, value in raw.items():
        if (
            "attn_implementation" in key
            and "autoset" not in key
            and not (isinstance(value, str | None) and value in _KNOWN_ATTENTION)
        ):
            raise _refuse(
                f"has the key '{key}', which chooses attention code; allowed are eager and sdpa"
            )


def _value(key: str, value: Any) -> Any:
    said = str(value)[:40]
    if key in _WHOLE:
        low, high = _WHOLE[key]
        fits = type(value) is int and low <= value <= high
        allowed = f"whole numbers from {low:,} to {high:,}"
    elif key in _NUMBERS:
        least, most = _NUMBERS[key]
        fits = type(value) in (int, float) and least <= value <= most
        allowed = f"numbers from {least} to {most}"
    elif key in _FLAGS:
        fits, allowed = isinstance(value, bool), "true and false"
    else:
        fits, said = isinstance(value, str) and value in _WORDS[key], repr(said)
        allowed = ", ".join(sorted(_WORDS[key]))
    if not fits:
        raise _refuse(f"has {key} = {said}; allowed are {allowed}")
    return value


def _attention_parts(value: Any) -> list[str]:
    parts = value.lower().split("|") if isinstance(value, str) else value
    parts = (
        [part.strip() if isinstance(part, str) else part for part in parts]
        if isinstance(parts, list)
        else [parts]
    )
    if not all(part in ("c2p", "p2c") for part in parts):
        raise _refuse(f"has pos_att_type = {str(value)[:40]!r}; allowed are c2p and p2c")
    return parts


_REACHES = ("full_attention", "sliding_attention")


def _layer_types(value: Any) -> list[str]:
    """How far each layer of ModernBERT looks."""
    if not isinstance(value, list) or not all(
        isinstance(one, str) and one in _REACHES for one in value
    ):
        raise _refuse(
            f"has layer_types = {str(value)[:40]}; allowed is a list of {' and '.join(_REACHES)}"
        )
    return value


def _rotations(value: Any) -> dict[str, dict[str, Any]]:
    """The base of ModernBERT's rotating positions, for each reach."""
    found: dict[str, dict[str, Any]] = {}
    for reach, given in value.items() if isinstance(value, dict) else [("", None)]:
        known = isinstance(given, dict) and set(given) <= {"rope_type", "rope_theta"}
        if reach not in _REACHES or not known or given.get("rope_type", "default") != "default":
            raise _refuse(
                f"has rope_parameters {str(value)[:60]}; allowed are rope_type default and "
                f"rope_theta for each of {' and '.join(_REACHES)}"
            )
        theta = given.get("rope_theta")
        found[reach] = {"rope_type": "default"}
        if theta is not None:
            found[reach]["rope_theta"] = _value("global_rope_theta", theta)
    return found


_PARTS = {
    "pos_att_type": _attention_parts,
    "layer_types": _layer_types,
    "rope_parameters": _rotations,
}
"""Keys whose value is a list or an object, with what checks it."""


def clean_config(raw: Any) -> dict[str, Any]:
    """The allowed keys of a config.json with checked values, and its model_type; anything that
    chooses code is refused.

    Keys outside the list (training, generation, names) are dropped: they do not change what a
    reader computes.
    """
    if not isinstance(raw, dict):
        raise _refuse(f"must hold an object, got {type(raw).__name__}")
    _refuse_code(raw)
    family = raw.get("model_type")
    if not isinstance(family, str) or family not in FAMILIES:
        raise _refuse(
            f"has model_type {str(family)[:40]!r}; readers of these families can be loaded: "
            f"{', '.join(FAMILIES)}"
        )
    for key, allowed in _FIXED.items():
        if key in raw and raw[key] not in (allowed, None):
            raise _refuse(f"has {key} = {str(raw[key])[:40]}; only {allowed} is supported")
    clean: dict[str, Any] = {"model_type": family}
    for key, value in raw.items():
        if value is None:
            continue
        if key in _WHOLE or key in _NUMBERS or key in _FLAGS or key in _WORDS:
            clean[key] = _value(key, value)
        elif key in _PARTS:
            clean[key] = _PARTS[key](value)
    return clean


def build_config(clean: dict[str, Any], head: str = "QuestionAnswering") -> tuple[Any, type]:
    """The transformers configuration of a cleaned config, and its family's class with this head."""
    library, prefix = transformers(), FAMILIES[clean["model_type"]]
    config_class = getattr(library, f"{prefix}Config")
    model_class = getattr(library, f"{prefix}For{head}")
    config = config_class(**{key: value for key, value in clean.items() if key != "model_type"})
    config._attn_implementation = "sdpa" if model_class._supports_sdpa else "eager"
    return config, model_class
