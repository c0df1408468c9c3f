// The fixed words of chapter 7's pictures: labels and hints, which carry no number.

export const words = {
  steps: "Steps of this chapter",
  bars: "Each token's three probabilities as one bar: B solid, I striped, O paper. Arrow keys" +
    " move between tokens, Enter selects.",
  hint: "Choose a bar to take its token apart.",
  sum: "sum = 1",
  quiet_run: "… {n} tokens, each with p(O) > 0.98, the smallest {low}",
  one_quiet: "… 1 token with p(O) > 0.98",
  fetch: "products per dimension",
  fetch_saved: "Its products, dimension by dimension, need the running page.",
  fetch_why: "needs this window's hidden states: one run of the encoder",
  products: "W h + b of this token, dimension by dimension: those that separate its two likeliest" +
    " tags most",
  other_dims: "{n} others together",
  bias: "bias b",
  logit: "logit",
  h: "h",
  no_token: "Choose a token: its logits and probabilities appear here.",
  argmax: "argmax",
  strict: "strict",
  lenient: "lenient",
  viterbi: "Viterbi",
  one_span: "start/end",
  illegal: "I without a B before it: an illegal transition",
  threshold: "Return every span with a marginal of at least",
  beaten: "dashed: overlaps a span of a higher marginal, so it is never returned beside it",
  no_span: "P(no span at all)",
  none_listed: "No span has a marginal above .02.",
  threshold_help:
    "The exact marginal sums over every legal tagging of the window; above .5 no two " +
    "spans can overlap.",
  glue: "the glued span: one start, one end, two answers",
  glue_none:
    "Two answers that stand apart in one window are needed. Mark them with the annotators" +
    " of step 3, or open an example that has them:",
  glue_identity:
    "(s1 + e2) + (s2 + e1) = (s1 + e1) + (s2 + e2): whatever the logits, the crossed " +
    "pairs share what the true pairs share.",
  glue_tags: "The tags' view: exact marginals",
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
  annotator: "annotator",
  mark: "mark the selection",
  also: "and this too",
  every: "each marks every answer",
  nothing: "none",
  mark_how: "Select a word or a span in the text (Shift extends; arrow keys and Enter work too), " +
    "then let an annotator mark it. One annotator may mark several spans, which a start " +
    "and an end cannot say.",
  presets: "Presets",
  example: "as loaded",
  agree: "all mark the selection",
  disagree: "B, B, O on the selected token",
  loss_lane: "loss of each token: grey H(t), the entropy of the annotators' tags, which no model " +
    "gets below; ink KL, how far the model's probabilities are from theirs",
  target: "hollow ticks: the target t",
  terms: "the loss term by term",
  onehot: "the one-hot case: what is left of the double sum",
  sum_note: "Sum over the paragraph's tokens, as the exercise has it. The code takes the mean " +
    "over the labelled tokens of all windows",
  own_entropy: "Entropy of the model's own distributions",
  stage: "Stage",
  whose_tagging: "tagging of annotator",
  line: "Both signs on one line: the log-likelihood is to be raised, the loss to be lowered; " +
    "they are one number",
  likelihood: "Σ log p: log-likelihood, maximise",
  loss: "−Σ log p: loss, minimise",
  sign_note:
    "Texts that print L = Σ log p without the minus sign have written the log-likelihood:" +
    " lowering that would drive p(gold) to 0.",
  no_head: "This reader has no BIO head. Open these texts with the bundled reader, which has " +
    "one.",
  bundled: "open with the bundled reader",
};
