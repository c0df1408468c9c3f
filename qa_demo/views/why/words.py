"""The fixed words that Python says in chapter 9: what is simplified, and nothing is selected."""

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

NOTHING = "Nothing is selected, so there is no score to explain."
