"""The texts that ship with the page: each answer stands in its text, and each id once."""

from qa_demo.core.store import ASSETS
from qa_demo.core.types import WindowOptions
from qa_demo.examples import load_examples, load_menu, load_passages


def test_each_id_stands_once_and_each_slice_in_its_text():
    files = [load_examples(ASSETS / name) for name in ("examples.json", "failures.json")]
    examples, passages = sum(files, ()), load_passages(ASSETS / "passages.json")
    texts = [(e.id, e.context, e.answers) for e in examples]
    texts += [(p.id, p.text, p.hidden) for p in passages]
    for name, text, slices in texts:
        for one in slices:
            assert one.text and text[one.char_start : one.char_end] == one.text, name
    assert len({p.id for p in passages}) == len(passages) and all(p.hidden for p in passages)
    assert list(load_menu()) == [e.id for e in examples]


def test_an_example_has_its_own_windows_or_the_usual_ones():
    cut = [e.options for e in load_menu().values()]
    assert cut[0] == WindowOptions() and WindowOptions(64, 24) in cut
