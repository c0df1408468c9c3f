// The longer words of chapter 7's pictures, which carry no number.

export const words = {
  bars: "Each token's three probabilities as one bar: B solid, I striped, O paper. Arrow keys" +
    " move between tokens, Enter selects.",
  hint: "Choose a bar to take its token apart.",
  fetch_saved: "Its products, dimension by dimension, need the running page.",
  fetch_why: "needs this window's hidden states: one run of the encoder",
  products: "W h + b of this token, dimension by dimension: those that separate its two likeliest" +
    " tags most",
  argmax: "argmax",
  strict: "strict",
  lenient: "lenient",
  viterbi: "Viterbi",
  illegal: "I without a B before it: an illegal transition",
  threshold: "Return every span with a marginal of at least",
  beaten: "dashed: overlaps a span of a higher marginal, so it is never returned beside it",
  threshold_help:
    "The exact marginal sums over every legal tagging of the window; above .5 no two " +
    "spans of one window can overlap.",
  glue: "the glued span: one start, one end, two answers",
  glue_none:
    "Two answers that stand apart in one window are needed. Mark them with the annotators" +
    " of step 3, or open an example that has them:",
  glue_identity:
    "(s1 + e2) + (s2 + e1) = (s1 + e1) + (s2 + e2): whatever the logits, the crossed " +
    "pairs share what the true pairs share.",
  glue_loss:
    "What would each loss do about it? Gradient steps on this window's own logits, as if " +
    "each were free, toward both answers:",
  glue_soft: "Soft targets (half of the start on each answer, half of the end) are met exactly " +
    "when all four pairs are level: they do not forbid the glue.",
  glue_pairs:
    "A loss over pairs forbids it only with legal pairs alone in its normaliser: then the" +
    " pair that runs backwards is free to rise. Summed over the answers it may settle on " +
    "the stronger one; asked for each of them, both rise above the glue.",
  backwards: "second's start, first's end (illegal)",
  glued: "glued",
  first: "first answer",
  second: "second answer",
  every: "each marks every answer",
  mark_how:
    "Select a word or a span in the text: drag over it, or tap its first word and then its " +
    "last (by keyboard: arrow keys, Shift extends, Enter). Then let an annotator mark it. One " +
    "annotator may mark several spans, which a start and an end cannot say.",
  example: "as loaded",
  agree: "all mark the selection",
  disagree: "B, B, O on the selected token",
  loss_lane: "loss of each token: grey H(t), the entropy of the annotators' tags, which no model " +
    "gets below; ink KL, how far the model's probabilities are from theirs",
  onehot: "the one-hot case: what is left of the double sum",
  sum_note: "Sum over the paragraph's tokens, as the exercise has it. The code takes the mean " +
    "over the labelled tokens of all windows",
  line: "Both signs on one line: the log-likelihood is to be raised, the loss to be lowered; " +
    "they are one number",
  sign_note:
    "Texts that print L = Σ log p without the minus sign have written the log-likelihood:" +
    " lowering that would drive p(gold) to 0.",
  no_head: "This reader has no BIO head. Open these texts with the bundled reader, which has one.",
  bundled: "open with the bundled reader",
};
