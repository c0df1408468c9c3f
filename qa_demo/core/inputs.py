"""The one check of question and paragraph that the page, the API and the command line share."""

from qa_demo.core.errors import BadInput


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
