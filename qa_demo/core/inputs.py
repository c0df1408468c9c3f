"""What the page, the API and the command line take alike: the texts, and how windows are merged."""

from dataclasses import replace

from qa_demo.core.errors import BadInput
from qa_demo.core.options import MergeOptions
from qa_demo.core.reading.scales import COMBINES, THRESHOLD_SCALES, check_merge, threshold_decides


def check_texts(
    question: object, context: object, max_characters: int | None = None
) -> tuple[str, str]:
    """Return both texts, or refuse what no reader can use; call it before anything is tokenized.

    `max_characters` is the host's limit on the paragraph; None means no limit. A question is
    limited in word pieces only (`max_query_length`), which the reader counts.
    """
    for name, text in (("question", question), ("paragraph", context)):
        if not isinstance(text, str):
            raise BadInput(f"the {name} must be text, got {type(text).__name__}")
        if not text.strip():
            raise BadInput(f"the {name} is empty; type at least one word")
    assert isinstance(question, str) and isinstance(context, str)
    if max_characters is not None and len(context) > max_characters:
        raise BadInput(
            f"the paragraph has {len(context):,} characters, this host allows {max_characters:,}"
        )
    return question, context


def merging(merge: MergeOptions, null: str | None, threshold: float | None) -> MergeOptions:
    """The choices with the null that is given, else the first that fits the scale. Errors: BadInput
    where they do not combine, and for a given threshold that decides nothing under them.
    """
    merge = replace(merge, null=COMBINES[merge.scale][0] if null is None else null)
    check_merge(merge)
    if threshold is not None and not threshold_decides(merge):
        raise BadInput(
            f"null_score_diff_threshold changes nothing under the scale {merge.scale} and the null "
            f"{merge.null}; it decides under {' and '.join(THRESHOLD_SCALES)}, with a null that is "
            f"compared"
        )
    return merge
