"""The checks by the names that lessons use."""

from collections.abc import Callable
from dataclasses import dataclass

from qa_demo.figures.lessons import (
    failing,
    heads,
    learning,
    long_text,
    loss,
    no_answer,
    spans,
    trusting,
    why,
)
from qa_demo.figures.lessons.finding import Case, Finding


@dataclass(frozen=True)
class Check:
    """`needs_reader`: it asks the model, which takes its time; for the others the numbers of the
    reading are enough.
    """

    find: Callable[[Case], Finding]
    needs_reader: bool = False


READINGS = (
    spans.answer_span,
    spans.reader_span,
    spans.copied,
    spans.runner_up,
    spans.best_pair,
    spans.score_sum,
    spans.three_tokens,
    spans.argmaxes_apart,
    spans.legal_pairs,
    spans.mean_of_maxima,
    no_answer.withholds,
    no_answer.withheld,
    no_answer.null_sum,
    no_answer.where_it_turns,
    no_answer.unsure_and_answered,
    learning.all_positions,
    learning.second_start,
    learning.temperature_keeps_order,
    learning.shift_changes_nothing,
    learning.without_exp,
    learning.own_sums,
    learning.top_start,
    loss.hand_loss,
    loss.label_not_argmax,
    loss.normaliser,
    loss.gradient_signs,
    loss.sum_or_mean,
    loss.gold_loss,
    long_text.window_count,
    long_text.nothing_cut,
    long_text.owner_counts,
    long_text.rule_disagrees,
    long_text.half_step,
    heads.likely_begin,
    heads.several_spans,
    heads.vote_target,
    heads.vote_floor,
    heads.one_hot,
    heads.floor_above_zero,
    heads.hidden_share,
    heads.boundary_inputs,
    heads.two_objectives,
    heads.task_loss,
    heads.minus_log,
    heads.own_features,
    heads.mean_length,
    failing.threshold_cost,
    failing.lower_threshold,
    failing.best_choice,
    failing.claimed_and_true,
    failing.exact_or_not,
    failing.answer_f1,
    failing.error_kind,
    failing.gold_rank,
)
MODELS = (
    learning.one_vector,
    learning.other_question,
    learning.bias_changes_nothing,
    loss.step_through_head,
    why.costly_word,
    why.attention_elsewhere,
    why.question_word,
    trusting.shares_add_up,
    trusting.shares_beat_chance,
    trusting.attention_beats_chance,
    trusting.methods_agree,
)
CHECKS = {
    **{f.__name__: Check(f) for f in READINGS},
    **{f.__name__: Check(f, needs_reader=True) for f in MODELS},
}
