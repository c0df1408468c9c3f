"""The fixed words of chapter 6's pictures: labels and hints, which carry no number."""

WORDS = {
    "steps": "Steps of this chapter",
    "window": "window",
    "pieces": "word pieces",
    "piece": "word piece",
    "owner": "owner",
    "picture": "Each window as a tent: its height is the context of a word piece on its poorer "
    "side; the highest tent owns it.",
    "pad": "Word piece: arrow keys move, Enter selects the word",
    "overview": "The whole paragraph; the frame is the part shown below",
    "part": "Part of the paragraph that is shown",
    "closer": "closer",
    "farther": "farther",
    "whole": "whole paragraph",
    "hint": "Point at the tents, or press an arrow key in them, to read left and right context "
    "of a word piece in each window.",
    "more": "and {n} more",
    "earlier": "A tie: the earlier window owns it.",
    "longer": "A tie in context: the longer window owns it (0.01 × length decides).",
    "length": "The owner has less context and wins by its length (0.01 × length is added).",
    "lost": "An answer that starts here must end by word piece {a}; {b} would be short enough, "
    "but window {w} ends first.",
    "tent": "a window: min(left, right) context",
    "envelope": "the owner",
    "ribbon": "the paragraph: darker where more windows read it",
    "hatch": "starts here, may end outside its owner: out of reach",
    "preview": "preview, not read yet",
    "rerun": "re-run with these windows",
    "too_many": "Too many windows to draw; the counts below are exact.",
    "owned": "the window owns its start",
    "not_owned": "another window owns its start",
    "null": "null score",
    "null_key": "the window's null score: [CLS] as start and end",
    "candidates_picture": "The best spans of each window on one axis of logits",
    "candidates_hint": "Each dot is a span: start logit + end logit. Arrow keys move between the "
    "dots, Enter selects.",
    "all": "show all {n} windows (now {k})",
    "fewer": "show only the highest",
    "chart": "Rank of the best spans under each merge rule",
    "rank": "rank",
    "lower": "lower",
    "chart_hint": "A line is a span, its height the rank; crossing lines are disagreement. Press "
    "a column's head to compare its rule.",
    "unsound": "* not comparable between windows. A solid bar marks the page's rule, a dashed "
    "one the rule it is compared with. A cross "
    "marks two maxima that form no legal span.",
    "truths": "A softmax over a window's words alone is not comparable between windows. With "
    "[CLS] in it, it is, if training sent windows "
    "without the answer to [CLS]. The logit sum is comparable only by habit.",
    "legal_pair": "The two maxima form this legal span.",
    "illegal_pair": "The two maxima form no legal span:",
    "winner_leads": "the winner leads",
    "rival_leads": "the rival leads",
    "the_pages": "(the page's rule)",
    "break_it": "Break it",
    "open": "open this example",
    "which_window": "window",
    "add": "Add",
    "to_window": "to every logit of window",
    "turn": "turn the winner",
    "back": "back to 0",
    "moves": "moves",
    "still": "stays still",
    "still_caption": "The best span of the window:",
    "options": "The page's merge rule",
}
