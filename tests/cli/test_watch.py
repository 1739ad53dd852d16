"""`korba watch`: a page that follows its file, on this machine only, through all its changes."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
import time

import pytest
from commands_of_a_four_bar import fill

import korba as kb
from korba.cli.options import Source
from korba.cli.watch_command import Watched
from korba.cli.watch_server import PageServer


@pytest.fixture
def server():
    with PageServer() as own:
        yield own


def asked(port, path="/", host=None):
    """Status and text of a request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("GET", path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def test_the_page_follows_the_file(server, tmp_path):
    """A change is drawn once; a fault is shown above the last good page, until it is mended."""
    fill(tmp_path)
    file = tmp_path / "four.toml"
    good = file.read_text()
    watched = Watched(Source(file=file), server, out=tmp_path / "page.html", quiet=True)
    assert watched.look()
    assert not watched.look()
    _, first = asked(server.port)
    assert "four-bar</title>" in first and "own = 1;" in first
    file.write_text(good.replace('"four-bar"', '"my linkage"'))
    assert watched.look()
    assert "my linkage</title>" in asked(server.port)[1]
    assert "my linkage</title>" in (tmp_path / "page.html").read_text("utf-8")
    file.write_text(good[: len(good) // 2] + '\nmass = "5 <mm>"')  # half written, with a fault
    assert watched.look()
    _, broken = asked(server.port)
    assert "role='alert'" in broken and "<mm>" not in broken.partition("role='alert'")[2][:400]
    assert "my linkage</title>" in broken
    file.unlink()
    assert not watched.look()
    file.write_text(good)
    assert watched.look()
    assert "role='alert'" not in asked(server.port)[1]
    assert asked(server.port, "/number") == (200, "4")


def test_only_this_page_is_served_under_this_name(server):
    """Other paths are not there, other hosts are refused, other methods are not known."""
    assert asked(server.port)[0] == 200
    assert asked(server.port, host=f"localhost:{server.port}")[0] == 200
    assert asked(server.port, "/etc/passwd")[0] == 404
    assert asked(server.port, "/../four.toml")[0] == 404
    assert asked(server.port, host="evil.example")[0] == 421
    assert asked(server.port, host=f"evil.example:{server.port}")[0] == 421
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.request("POST", "/")
    assert connection.getresponse().status == 501
    assert server.server.server_address[0] == "127.0.0.1"


def test_a_port_that_is_taken_is_told(server):
    """With the way out."""
    with pytest.raises(kb.FileError, match="--port"):
        PageServer(server.port)


def test_what_cannot_live_plays_or_stands(server, tmp_path):
    """Robots fall, trusses are drawn with why they do not move."""
    fill(tmp_path)
    watched = Watched(Source(file=tmp_path / "pendulum.toml"), server, quiet=True)
    watched.look()
    assert "pendulum</title>" in server.page
    bodies = [kb.Body(name) for name in "ab"]
    ends = [("A", "ground", "a", (0, 0)), ("B", "a", "b", (1, 0)), ("C", "b", "ground", (1, 1))]
    joints = [kb.Revolute(name, p, c, at=at) for name, p, c, at in ends]
    kb.save(kb.Mechanism("truss", bodies, joints, plane="xy"), tmp_path / "truss.toml")
    Watched(Source(file=tmp_path / "truss.toml"), server, quiet=True).look()
    assert "<svg" in server.page and not server.said


def test_ctrl_c_ends_it_well(tmp_path):
    """As a process: its address is one JSON object, a change is noticed, Ctrl-C is status 0."""
    fill(tmp_path)
    file = tmp_path / "four.toml"
    start = [sys.executable, "-c", "from korba.cli import main; main()", "watch", file, "--json"]
    with subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        text = ""
        while not text.endswith("}\n"):
            text += run.stdout.readline()
        port = int(json.loads(text)["url"].split(":")[2].strip("/"))
        assert "drawn in" in run.stderr.readline()
        begun = time.monotonic()
        file.write_text(file.read_text().replace("four-bar", "another"))
        assert "drawn in" in run.stderr.readline()
        assert time.monotonic() - begun < 20
        assert "another</title>" in asked(port)[1]
        run.send_signal(signal.SIGINT)
        assert run.wait(10) == 0
        assert "ended" in run.stderr.read()
        assert run.stdout.read() == ""
