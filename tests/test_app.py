"""The entry point without a server: what it hands to the page, and what `--version` waits for."""

import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock, call

import pytest

from qa_demo import __version__, app
from qa_demo.app import free_address, network_address, own_names, parser
from qa_demo.core.base import BadCheckpoint, BadInput
from qa_demo.core.store import READERS
from qa_demo.examples import load_menu
from qa_demo.pictures import Pictures
from qa_demo.shown import without_model
from tests.fakes import FakeReader


def given(*flags: str) -> Namespace:
    return parser().parse_args(flags)


@pytest.mark.model
@pytest.mark.parametrize(
    ("host", "flags", "anywhere"),
    [("127.0.0.1", [], True), ("0.0.0.0", [], False), ("0.0.0.0", ["--lan"], False)],
)
def test_a_reader_that_many_choose_at_once_is_loaded_once(host, flags, anywhere, monkeypatch):
    load_reader = Mock(side_effect=lambda *_, **__: time.sleep(0.1) or FakeReader())
    monkeypatch.setattr("qa_demo.model.loading.load_reader", load_reader)
    pictures, load = app.made(given(*flags), host)
    assert load() is pictures.reader("bundled")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(pictures.reader, ["owner/name"] * 8))
    loads = {"bundled": True, "owner/name": anywhere}.items()
    assert load_reader.mock_calls == [call(name, anywhere=x, base=None) for name, x in loads]


def test_the_menu_offers_the_large_reader_only_where_its_encoder_is_given(tmp_path):
    own = given("--reader", "owner/name")
    assert app.made(given(), "127.0.0.1")[0].readers == ("bundled",)
    assert app.made(own, "127.0.0.1")[0].readers == ("owner/name", "bundled")
    based = given("--base", str(tmp_path))
    assert ("large" in app.made(based, "127.0.0.1")[0].readers) is READERS["large"].is_dir()
    assert "large" not in app.made(based, "0.0.0.0")[0].readers


@pytest.mark.model
def test_a_calibration_goes_with_the_reader_and_keeps_stored_readings_away(monkeypatch, tmp_path):
    plain, other = FakeReader(), FakeReader(threshold=5.0)
    monkeypatch.setattr("qa_demo.model.loading.load_reader", lambda *_, **__: plain)
    with_fit = Mock(return_value=other)
    monkeypatch.setattr("qa_demo.model.card.with_fit", with_fit)
    path = tmp_path / "fit.json"
    pictures, load = app.made(given("--calibration", str(path)), "127.0.0.1")
    assert load() is other and with_fit.mock_calls == [call(plain, path)]
    example = next(iter(pictures.examples.values()))
    assert pictures.stored(example) is None
    usual, load = app.made(given(), "127.0.0.1")
    assert load() is plain and usual.stored(example) is not None


@pytest.mark.parametrize(("reader", "order"), [("bundled", "open load"), ("a/b", "load open load")])
def test_the_bundled_reader_is_loaded_once_the_page_is_open(reader, order, monkeypatch):
    """Another one before: a name that is none is refused before anybody sees a page."""
    done, pictures = [], Pictures(load_menu(), without_model, without_model)
    monkeypatch.setattr("qa_demo.app.made", lambda *_: (pictures, lambda: done.append("load")))
    monkeypatch.setattr("qa_demo.server.launch.launch", lambda *_, **__: done.append("open"))
    monkeypatch.setattr("qa_demo.app.LISTENS", 0.01)
    monkeypatch.setattr("qa_demo.app.wait_for_the_end", lambda: time.sleep(0.5))
    assert app.main(["--reader", reader]) == 0 and done == order.split()


def test_the_version_waits_for_neither_gradio_nor_torch():
    command = [sys.executable, "-X", "importtime", "app.py", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"spanlight {__version__}\n"
    loaded = {line.split()[-1] for line in done.stderr.splitlines()}
    assert "argparse" in loaded and not loaded & {"gradio", "torch"}


BUSY = """
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from qa_demo import app

def serve(_):
    ThreadPoolExecutor(1).submit(time.sleep, 60)
    app.time = SimpleNamespace(sleep=lambda s: print("open", flush=True) or time.sleep(s))
    app.wait_for_the_end()

app.serve = serve
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's & has it ignored
app.main([])
"""


@pytest.mark.parametrize("signals", [["SIGTERM"], ["SIGINT"], ["SIGINT", "SIGTERM"]])
def test_the_page_closes_at_once_whatever_is_computed(signals):
    start = [sys.executable, "-c", BUSY]
    with subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as page:
        assert page.stdout.readline() == b"open\n"
        for name in signals:
            page.send_signal(signal.Signals[name])
        try:
            assert page.wait(20) == 0 and page.stderr.read() == b"Spanlight is closed.\n"
        finally:
            page.kill()


@pytest.fixture
def refused(capsys) -> Callable[..., str]:
    """What a start with these flags says: one sentence on stderr, with exit code 2."""

    def refused(*flags: str) -> str:
        with pytest.raises(SystemExit) as left:
            sys.exit(app.main(flags))  # argparse leaves by itself
        said, complaint = capsys.readouterr()
        assert (left.value.code, said) == (2, ""), complaint
        assert re.fullmatch(r"spanlight: .+\n", complaint)
        return complaint.rstrip()

    return refused


FAULTS = {
    "--port 99999": r"cannot be opened at port 99999: .*from 1024 to 65535",
    f"--host {'ä' * 80}": r"ä cannot be opened at port \d+: .*--host names an address",
    "--host 203.0.113.7": r"203\.0\.113\.7 cannot be opened at port \d+: .*--host names an address",
    "--reader /nowhere/at/all": r"'/nowhere/at/all' is not a reader's name or an existing folder",
    "--base /nowhere": r"--base must be a folder with an encoder, got '/nowhere'",
    "--root-path app": r"a path is a slash and a name, as /app, .*; got 'app'",
    "--root-path /app/": r"a path is a slash and a name, as /app, .*; got '/app/'",
    "--frobnicate": r"unrecognized arguments: --frobnicate",
    "--lan --host 0.0.0.0": r"--lan listens on the whole network; leave --host out",
}


@pytest.mark.parametrize("flags", FAULTS)
def test_a_fault_at_the_start_is_one_sentence_and_exit_code_2(flags, monkeypatch, refused):
    monkeypatch.setattr("qa_demo.app.made", lambda *_: pytest.fail("it goes on"))
    assert re.search(FAULTS[flags], refused(*flags.split()))


@pytest.mark.model
def test_what_a_machine_lacks_is_said_before_the_page_opens(tmp_path, monkeypatch, refused):
    assert "config.json is missing" in refused("--reader", str(tmp_path), "--port", "0")
    monkeypatch.setattr("qa_demo.app.made", lambda *_: pytest.fail("it goes on"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [str(tmp_path / "none")])
    assert "the page cannot be opened: No usable temporary" in refused("--reader", "a/b")


def test_a_taken_port_is_said_and_none_named_is_the_next_free_one(monkeypatch, refused):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = refused("--port", str(port))
        assert re.search(rf"127\.0\.0\.1 cannot be opened at port {port}: .*--port", said)
        monkeypatch.setattr("qa_demo.app.FIRST_PORT", port)
        assert free_address(None, None)[1] > port
        monkeypatch.setattr("qa_demo.app.PORTS", 1)
        with pytest.raises(BadInput, match=f"all ports from {port} to {port} are taken"):
            free_address(None, None)


def test_the_environment_of_a_space_is_heard(monkeypatch, refused):
    monkeypatch.setenv("GRADIO_SERVER_NAME", "0.0.0.0")
    monkeypatch.setenv("GRADIO_SERVER_PORT", "0")
    host, port = free_address(None, given().port)
    assert host == "0.0.0.0" and 1023 < port < 65536
    monkeypatch.setenv("GRADIO_SERVER_PORT", "many")
    assert "--port: invalid int value: 'many'" in refused()
    monkeypatch.setenv("GRADIO_SERVER_PORT", "")
    assert given().port is None


def test_a_bundled_reader_that_cannot_be_loaded_is_said_and_the_page_stays(caplog):
    app.load_quietly(Mock(side_effect=BadCheckpoint("model.safetensors is cut")))
    assert "model.safetensors is cut" in caplog.text


def test_the_network_is_asked_without_sending_and_names_are_not_those_of_others(monkeypatch):
    try:
        found = network_address()
    except BadInput as refused:
        found = str(refused)
    assert "join" in found or re.fullmatch(r"(?!127\.)\d+(\.\d+){3}", found)
    monkeypatch.setattr("qa_demo.app.network_address", lambda: "192.0.2.7")
    monkeypatch.setattr("socket.gethostname", lambda: "Desk")
    names = own_names(7860)
    assert {"192.0.2.7:7860", "localhost:7860", "127.0.0.1:7860", "desk.local:7860"} <= names
    assert "evil.example:7860" not in names and "192.0.2.7" not in names
    assert "192.0.2.7" in own_names(80)
