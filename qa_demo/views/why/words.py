"""The fixed words of chapter 9: labels, hints and what is simplified, which carry no number."""

SIMPLIFIED = (
    "Attention is where a head looked, never why: two heads can look alike and move different "
    "things, and a look can be made without "
    "effect on the logits.",
    "Everything here explains one number in one window: the one that holds the selected span. "
    "Logits of other windows come from other "
    "computations; only the question's words are also tested in every window.",
    "The places of the target are fixed once, on the real input. Along a path from a baseline "
    "another token may score highest; the "
    "explanation does not follow it.",
    "[CLS] and the separators are kept in every baseline, so integrated gradients give them "
    "exactly nothing. A text full of "
    "padding tokens, mask tokens or zero vectors is unlike anything the reader was trained on, "
    "and the explanation is relative to it.",
    "Gradient × input is the slope at one point times the input: fast, and it promises no sum. "
    "Leave one word out masks a word and "
    "keeps every position; what stands in the text twice is understated.",
    "Rollout assumes that layers only average, and knows no target. Gradient × attention keeps "
    "positive parts only.",
    "Deletion and insertion curves mask words; the answer's own words are kept in the picture, "
    "and the table gives both. "
    "Random orders are drawn from a fixed seed, so that a measurement can be repeated.",
    "Numbers changed by hand do not move this chapter: it explains the reader's own logits.",
)

WORDS = {
    "nothing": "Nothing is selected, so there is no score to explain.",
    "steps": "Steps of this chapter",
    "step_looked": "where it looked",
    "step_rested": "what it rested on",
    "step_trust": "how far to trust it",
    "grid_start": "From the selected start",
    "grid_end": "From the selected end",
    "grid_says": "Each square is a head, each row a layer: the more ink, the larger the share of "
    "its attention on the question's words. "
    "Choose one to see where this head looked.",
    "layer": "layer",
    "head": "head",
    "even": "looking everywhere alike would give",
    "of_question": "of its attention on the question's words",
    "this_head": "Where this head looked",
    "filter": "show",
    "all": "whole window",
    "question_to_passage": "question → passage",
    "passage_to_question": "passage → question",
    "specials": "special tokens",
    "matrix": "The head as a square: rows look, columns are looked at",
    "strip_hint": "Point at a word, or move with the arrow keys: below the text how much this "
    "token looked at each token, above it how "
    "much each token looked at this one. Enter pins, Escape lets go.",
    "gives": "gave",
    "receives": "received",
    "unnoticed": "tokens with little attention either way, together",
    "head_table": "this row and column as a table",
    "token": "token",
    "position": "position",
    "row_of": "it looked at this token",
    "column_of": "this token looked at it",
    "looked_at": "looked at",
    "looked_by": "was looked at by",
    "faint": "no token with 0.005 or more",
    "pinned": "pinned",
    "pin_free": "let go",
    "rounded": "rounded for the journey",
    "exact": "exact values",
    "hidden": "on tokens that are not shown",
    "itself": "itself",
    "special": "special",
    "beside": "Three summaries, beside one another",
    "from_start": "from the start",
    "from_end": "from the end",
    "beside_says": "Raw attention averages all heads; rollout multiplies the layers; gradient × "
    "attention weighs each look by its effect "
    "on the target.",
    "target": "target",
    "method": "method",
    "baseline": "baseline",
    "other": "other span",
    "pick_other": "choose it in the text",
    "picking": "now choose the other span in the text",
    "by_word": "sum to words",
    "first": "First picture, by gradient × input; under way: ",
    "lanes_says": "Start part above the words, end part below. Filled: supports the target; "
    "hollow: speaks against it.",
    "lanes_hint": "Point at a word, or move with the arrow keys; Enter selects.",
    "folded": "tokens without much effect, together",
    "start": "start",
    "end": "end",
    "supports": "supports",
    "against": "against",
    "question_words": "Mask each question word in every window",
    "run": "measure",
    "again": "try again",
    "waiting": "waiting for the reader",
    "trust_says": "Masks words in the order of the explanation, of attention, and at random; "
    "then explains a copy with shuffled weights, "
    "and compares the methods with one another.",
    "deletion": "Deletion: mask the top words",
    "insertion": "Insertion: keep only the top words",
    "masked_words": "words masked",
    "kept_words": "words kept",
    "random": "random words, mean ± spread",
    "in_tables": "The numbers of both curves, the same in probability with and without the "
    "answer's own words, and every rank correlation "
    "stand below, as tables.",
    "f": "F",
    "none_above": "no effect",
}
