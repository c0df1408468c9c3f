"""What one token reads, by kind of token, and the head that is shown first."""

import numpy as np
import pytest

from qa_demo.core.attention import Looks, spread_head
from tests.core.toys import t1


def test_what_one_row_holds_by_kind_of_token_against_sums_by_hand():
    reading = t1()  # 0 [CLS], 1 question, 2 [SEP], 3-6 context, 7 [SEP]
    rows = np.random.default_rng(3).dirichlet(np.ones(8), size=(2, 3)).astype(np.float32)
    look = Looks(rows, reading.encoding, reading.windows[0], 2, 9)
    assert (look.layer, look.head) == (2, 3), "one too large is the last"
    row = rows[1, 2].astype(float)
    np.testing.assert_allclose(look.asked, rows[:, :, 1])
    wanted = [row[0], row[1], row[3:7].sum(), row[2] + row[7]]
    assert list(look.held.values()) == pytest.approx(wanted, abs=1e-6)


def test_the_first_head_spreads_and_asks_most():
    rows = np.full((1, 3, 4), 0.25)
    rows[0, 1] = [0.9, 0.1, 0, 0]
    assert spread_head(rows, np.array([[0.1, 0.9, 0.2]])) == (1, 3)
    assert spread_head(rows + 0.3, np.array([[0.1, 0.9, 0.2]])) == (1, 2), "where none spreads"
