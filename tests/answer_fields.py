"""The fields of an answer as JSON, wherever it is given: by the command, the call and the page."""

FIELDS = ["question", "reader", "answer", "char_start", "char_end", "start_logit", "end_logit"]
FIELDS += ["score", "null_score", "score_diff", "limit", "claim", "answerable"]
FIELDS += ["right_if_answerable", "n_best", "windows"]
