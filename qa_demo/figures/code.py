"""Plain torch that prints the numbers on screen: what the snippets of all chapters share.

A snippet holds the texts as Python literals, so whatever they hold, they stay texts. It names no
folder of this machine: the bundled reader by its place in the repository, one from a folder by a
gap that the user fills in.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reader import check_not_typed
from qa_demo.core.reading.scales import THRESHOLD_SCALES
from qa_demo.core.reading.windows import capacity
from qa_demo.core.types import Reading, Span

BUNDLED = "bundled"
PLACEHOLDER = "path/to/the/reader"
DROPPED = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]"
"""What the page keeps from a tokenizer: control characters and half surrogates."""
LOG_P = "def log_p(x): return x - x.max() - np.log(np.exp(x - x.max()).sum())"


@dataclass(frozen=True)
class Shown:
    """What a snippet prints the numbers of: the reader's own reading, what was changed by hand, the
    options in use, and the selected span (doc) in its window.
    """

    reading: Reading
    source: str
    window: int
    span: Span
    decode: DecodeOptions = field(default_factory=DecodeOptions)
    merge: MergeOptions = field(default_factory=MergeOptions)
    temperature: float = 1.0
    logits: Mapping[tuple[str, int, int], float] = field(
        default_factory=lambda: MappingProxyType({})
    )
    offset: tuple[int, float] | None = None

    @property
    def several(self) -> bool:
        """Whether the text takes more than one window."""
        return len(self.reading.windows) > 1

    @property
    def owned(self) -> bool:
        """Whether a span counts only in its first token's owner, which matters with several."""
        return self.several and self.merge.copies == "max_context"

    @property
    def warm(self) -> str:
        """What follows a logit where a displayed probability is made of it."""
        return "" if self.temperature == 1.0 else f" / {self.temperature!r}"


def model_name(source: str, name: str, folder: str, kind: str) -> tuple[str, str, str]:
    """The name to load from as a literal, `, revision=...` or nothing, and a comment for who reads
    it. `name` is the loaded one's own: owner/name@revision for one of the hub.
    """
    if source == BUNDLED:
        return repr(folder), "", "  # run this where app.py stands"
    if "/" in name:
        repo, _, revision = name.partition("@")
        return repr(repo), f", revision={revision!r}" if revision else "", ""
    return repr(PLACEHOLDER), "", f"  # fill in the folder of the {kind}"


def text_line(name: str, text: str) -> str:
    """The text as a literal, without what no tokenizer should see where it holds any of it."""
    if not re.search(DROPPED, text):
        return f"{name} = {text!r}"
    seen = "ord(x) in (9, 10, 13) or 31 < ord(x) < 127 or 159 < ord(x) < 55296 or ord(x) > 57343"
    return f"{name} = ''.join(x for x in {text!r} if {seen})"


def opening(shown: Shown, title: str, *imports: str) -> list[str]:
    """Imports, texts, reader, the windows' pieces. Errors: BadInput for numbers typed by hand."""
    check_not_typed(shown.reading)
    encoding, options = shown.reading.encoding, shown.reading.options
    name, revision, comment = model_name(
        shown.source, shown.reading.model_name, "assets/reader", "reader"
    )
    overlap = capacity(encoding, options) - options.doc_stride
    return [
        f"# Spanlight, {title}",
        "import numpy as np",
        "import torch",
        *imports,
        "from transformers import AutoModelForQuestionAnswering, AutoTokenizer",
        f"READER = {name}{comment}",
        text_line("question", encoding.question),
        text_line("context", encoding.context),
        f"tokenizer = AutoTokenizer.from_pretrained(READER{revision})",
        "model = AutoModelForQuestionAnswering.from_pretrained("
        f"READER, dtype=torch.float32{revision}).requires_grad_(False)",
        f"cut = tokenizer(question, context, max_length={options.max_seq_length}, "
        f"stride={overlap}, truncation='only_second',  # a step of {options.doc_stride}",
        "    return_overflowing_tokens=True, return_offsets_mapping=True, "
        "split_special_tokens=True)",
    ]


def run_lines(shown: Shown) -> list[str]:
    """Run every window, and change by hand what was changed on screen."""
    lines = [
        "windows = []  # start logits, end logits, which positions are paragraph, their characters",
        "for w in range(len(cut.input_ids)):",
        "    out = model(**{n: torch.tensor([cut[n][w]]) for n in tokenizer.model_input_names})",
        "    s, e = (x[0].double().numpy() for x in (out.start_logits, out.end_logits))",
        "    windows.append((s, e, np.array(cut.sequence_ids(w)) == 1, cut.offset_mapping[w]))",
    ]
    if shown.logits:
        changed = [
            (w, int(side == "end"), at, float(value))
            for (side, w, at), value in shown.logits.items()
        ]
        lines.append(f"for w, side, at, x in {changed}: windows[w][side][at] = x  # by hand")
    if shown.offset is not None and shown.offset[1]:
        w, c = shown.offset
        lines.append(f"for side in (0, 1): windows[{w}][side][:] += {float(c)!r}  # by hand")
    return lines


def owner_lines(shown: Shown) -> list[str]:
    """`seen`: what a window sees around a word piece, on its poorer side. The most owns it."""
    longest = max(len(window) for window in shown.reading.windows)
    total = len(shown.reading.encoding.context_ids) + longest
    return [
        f"seen = np.full((len(cut.input_ids), {total}), -1.0)  # by each window, of each piece",
        "for w in range(len(seen)):",
        "    t = np.arange(cut.sequence_ids(w).count(1))",
        f"    seen[w, {shown.reading.options.doc_stride} * w + t] = "
        "np.minimum(t, t[::-1]) + 0.01 * len(t)",
    ]


def doc(shown: Shown, position: str, window: str = "w") -> str:
    """The word piece of the paragraph at a position of a window, as an expression."""
    head = shown.reading.windows[0].context_at
    step = shown.reading.options.doc_stride
    return f"{position} - {head} + {step} * {window}" if shown.several else f"{position} - {head}"


def owner(shown: Shown, position: str, window: str = "w") -> str:
    """The window that owns the word piece at a position, as an expression."""
    return f"seen.argmax(0)[{doc(shown, position, window)}]"


def select_line(shown: Shown) -> str:
    """k, i, j: window and positions of the selected span."""
    window = shown.reading.windows[shown.window]
    i, j = window.to_pos(shown.span.start), window.to_pos(shown.span.end)
    return f"k, i, j = {shown.window}, {i}, {j}  # selected: window, first and last position"


def rank_lines(shown: Shown) -> list[str]:
    """a and b, so that a[i] + b[j] ranks a span on the rule's scale; none for the logit sum."""
    log_p = "log_p(np.where({}, x, -np.inf))"
    context, with_cls = log_p.format("inside"), log_p.format("inside | (np.arange(len(s)) == 0)")
    return {
        "log_odds": ["    a, b = s - s[0], e - e[0]"],
        "window_product": [f"    a, b = ({with_cls} for x in (s, e))"],
        "context_product": [f"    a, b = ({context} for x in (s, e))"],
        "context_mean": [f"    a, b = (np.exp({context}) / 2 for x in (s, e))"],
    }.get(shown.merge.scale, [])


def search_lines(shown: Shown, *each: str) -> list[str]:
    """`listed`: (rank, window, i, j) of the best spans by the limits and the merge rule in use;
    `each` are lines of the loop over windows, where `found` are that window's spans.
    """
    decode, most = shown.decode, shown.decode.n_best_size
    keep = f"(i <= j) & (j < i + {decode.max_answer_length})"
    if shown.owned:
        keep += f" & ({owner(shown, 'i')} == w)"
    if decode.top_n_grid:
        top = f"np.argsort(-{{}}, kind='stable')[:{most}]"
        keep += f" & np.isin(i, {top.format('s')}) & np.isin(j, {top.format('e')})"
    cut = "" if shown.merge.scale == "global_softmax" else f"[:{most}]"
    scaled = rank_lines(shown)
    rank = "a[i] + b[j]" if scaled else "s[i] + e[j]"
    found = f"sorted(zip({rank}, [w] * len(i), i, j), reverse=True)"
    lines = [
        "listed = []  # rank, window, first and last position of the legal spans",
        "for w, (s, e, inside, chars) in enumerate(windows):",
        *scaled,
        "    i, j = np.indices((len(s), len(s)))",
        f"    i, j = np.nonzero(np.outer(inside, inside) & {keep})",
        *(
            [f"    found = {found}", *each, f"    listed += found{cut}"]
            if each
            else [f"    listed += {found}{cut}"]
        ),
    ]
    if shown.several and shown.merge.copies == "all":
        lines += [
            "copies = {}",
            "for one in sorted(listed, reverse=True):",
            "    chars = windows[one[1]][3]",
            "    copies.setdefault((chars[one[2]][0], chars[one[3]][1]), one)",
        ]
    every = "copies.values()" if lines[-1].startswith("    copies") else "listed"
    if shown.merge.scale == "global_softmax":
        lines.append("total = np.logaddexp.reduce([one[0] for one in listed])")
    return [*lines, f"listed = sorted({every}, reverse=True)[:{most}]"]


def searched(shown: Shown, title: str, *each: str) -> list[str]:
    """A snippet up to `listed`; `each` as in `search_lines`."""
    return [
        *opening(shown, title),
        *run_lines(shown),
        *(owner_lines(shown) if shown.owned else ()),
        LOG_P,
        *search_lines(shown, *each),
    ]


def value_of(shown: Shown) -> str:
    """The number on the rule's scale, as an expression of the rank `r`."""
    return {
        "window_product": "np.exp(r)",
        "context_product": "np.exp(r)",
        "global_softmax": "np.exp(r - total)",
    }.get(shown.merge.scale, "r")


def answer_lines(shown: Shown) -> list[str]:
    """Print the answer by the rule and the threshold in use; `null` is what no answer scores."""
    null, limit = shown.merge.null, shown.decode.null_score_diff_threshold
    where = "[windows[w]]" if null == "own_window" else "windows"
    diff = "null - s[x] - e[y]"
    if null == "min_product":
        z = "sum(log_p(one[inside | (np.arange(len(s)) == 0)])[0] for one in (s, e))"
        diff = f"min({z} for s, e, inside, _ in windows) - r"
    if shown.merge.scale not in THRESHOLD_SCALES:
        limit = 0.0
    text = "context[chars[x][0]:chars[y][1]]"
    withheld = "" if null == "none" else f" if {diff} <= {limit!r} else None"
    return [
        "r, w, x, y = listed[0]",
        "s, e, inside, chars = windows[w]",
        f"null = min(one[0][0] + one[1][0] for one in {where})",
        f"print('answer:', {text}{withheld})",
    ]


def snippet(*parts: Sequence[str]) -> str:
    """The lines as one text."""
    return "\n".join(line for part in parts for line in part) + "\n"
