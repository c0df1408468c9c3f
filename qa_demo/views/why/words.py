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
    "The test masks the three words that an explanation puts first, and 100 random sets of three; "
    "the span's own words are never masked. The sets follow from question and paragraph alone, so "
    "everyone draws the same. A rank says whether the words matter more than chance, not that the "
    "explanation is right; of many explanations of nothing, one in twenty passes.",
    "The curves go on masking in the same random orders, so at three words they show the very "
    "drops of the test. A text with many words masked is unlike anything the reader was trained "
    "on.",
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
    "grid_says": "Each square is a head: stronger, more attention on the question's words.",
    "layers": "layer",
    "heads": "head",
    "same": "One token: both grids are equal by necessity.",
    "more_of_head": "this head as a square and a table; what is shown",
    "layer": "layer",
    "head": "head",
    "even": "spread evenly:",
    "of_question": "on the question's words",
    "where": "Where",
    "looked": "looked",
    "after_question": "after the question",
    "at_end": "at the end",
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
    "rounded": "rounded",
    "exact": "exact values",
    "hidden": "on special tokens, not drawn",
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
    "from_steps": "From",
    "path_steps": "steps of the path",
    "refining": ", the first picture; it is being refined.",
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
    "coming_looked": "The reader is on its way. Then one square stands here for each of its heads, "
    "and the text shows where that head looked from the marked words.",
    "coming_rested": "The reader is on its way. Then a bar over or under each word says how much "
    "of the score of the marked words rests on it.",
    "trust_says": "Do the words that an explanation puts first matter more than words drawn "
    "blindly? Mask them, mask random sets of as many words, and see where the drop stands.",
    "dots": "Random sets by their drop of F; arrow keys move from one to the next",
    "chance_band": "chance",
    "masked_set": "masked",
    "drop": "drop of F",
    "larger_than": "larger than",
    "coming": "to come",
    "top_words": "top words",
    "curves": "As more words are masked",
    "curves_says": "The same random orders go on, with more and more of their words masked.",
    "shuffled": "Does it change with shuffled weights?",
    "shuffled_says": "The same method explains a private copy of the reader whose weights were "
    "shuffled. An explanation that stays the same was never about what the reader has learned.",
    "deletion": "Deletion: mask the top words",
    "insertion": "Insertion: keep only the top words",
    "masked_words": "words masked",
    "kept_words": "words kept",
    "random": "random orders: middle, and the edges of chance",
    "in_tables": "The numbers of both curves, the same in probability, and the rank correlations "
    "of the methods stand below, as tables.",
    "compare": "Why not",
    "compare_span": "another span?",
    "compare_text": "another question, text or reader?",
    "f": "F",
    "none_above": "no effect",
}
