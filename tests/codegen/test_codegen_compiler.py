"""The compiler beside this process: one helper for many texts, whatever happens to it."""

import os
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose
from random_programs import EPS, random_program

import korba as kb
from korba.codegen import CacheFolder, compile_program
from korba.codegen.targets.llvm import compiler, machine
from korba.codegen.targets.llvm.compiler import Compiler, Waiting, host
from korba.codegen.targets.llvm.python import scalar_text

PLUS = "define double @f(double %x) {{\n %y = fadd double %x, {}.0\n ret double %y\n}}\n"


@pytest.fixture
def waiting(monkeypatch):
    """Helpers of this test alone, and how many were started."""
    own, starts = Waiting(), []
    start = compiler.started
    monkeypatch.setattr(compiler, "WAITING", own)
    monkeypatch.setattr(compiler, "started", lambda target: starts.append(1) or start(target))
    yield starts
    own.end()


def code_of(number):
    with Compiler(host()) as own:
        return own.object_code(PLUS.format(number))


def test_one_process_compiles_many_texts(waiting):
    """The second text waits for no process, and gets its own code."""
    assert code_of(1) == code_of(1) != code_of(2)
    assert len(waiting) == 1


def test_a_process_that_was_not_needed_is_used_next(waiting):
    """Where the text could not be written, the helper waits for another."""
    with pytest.raises(ZeroDivisionError), Compiler(host()):
        raise ZeroDivisionError
    assert code_of(1)
    assert len(waiting) == 1


def test_a_text_that_is_not_llvms_is_told(waiting):
    """The error is LLVM's, and the next text compiles."""
    with pytest.raises(kb.KorbaError, match="LLVM did not compile"), Compiler(host()) as own:
        own.object_code("no such thing")
    assert code_of(1)


def test_a_process_that_died_is_replaced(waiting):
    """Someone ended the helper while it waited, or while it was asked."""
    expected = code_of(1)
    compiler.WAITING._idle[0][1].kill()
    assert code_of(1) == expected
    with Compiler(host()) as own:
        own._process.kill()
        own._process.wait()
        assert own.object_code(PLUS.format(1)) == expected
    assert len(waiting) == 3
    assert code_of(1) == expected
    assert len(waiting) == 3


def test_threads_have_one_each(waiting):
    """Eight threads at once get the code of their own texts."""
    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(code_of, [*range(8)] * 2))
    assert codes[:8] == codes[8:]
    assert len(set(codes)) == 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_has_its_own(waiting):
    """Parent and child do not talk into the same pipe."""
    expected = code_of(1)
    child = os.fork()
    if child == 0:
        compiler.WAITING.forget()  # as the hook at a fork does with the pool of the module
        os._exit(0 if code_of(1) == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert code_of(1) == expected


@pytest.mark.parametrize("seed", range(4))
def test_numbers_do_not_depend_on_how_hard_llvm_tries(seed, monkeypatch):
    """Without optimisation other code gives the same to rounding, one by one and in batches."""
    program = random_program(seed, size=60)
    states = np.random.default_rng(seed).normal(size=(20, 5))
    found, codes = [], []
    for level in "01":
        monkeypatch.setenv("KORBA_OPTIMISE", level)
        compiled = compile_program(program, CacheFolder(None))
        one = [compiled(*np.split(state, [3])) for state in states]
        many = compiled(*np.split(states, [3], axis=1))
        found.append([*map(np.stack, zip(*one, strict=True)), *many])
        codes.append(Compiler(host()).object_code(scalar_text(program)))
    assert codes[0] != codes[1]
    for x, y in zip(*found, strict=True):
        assert_allclose(x, y, rtol=0, atol=1000 * EPS)


STRANGERS = {
    "silent": "import time; time.sleep(600)",
    "chatting": "print('What can I do for you?', flush=True); import time; time.sleep(600)",
    "leaving": "raise SystemExit(3)",
}


@pytest.mark.parametrize("script", STRANGERS.values(), ids=STRANGERS)
def test_what_does_not_say_hello_is_not_waited_for(waiting, monkeypatch, script):
    """Where Python is embedded another program starts: LLVM compiles here, after one wait."""
    expected = code_of(1)
    compiler.WAITING.end()
    started = []

    def stranger(target):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        started.append(compiler.Process([sys.executable, "-c", script], **pipes))
        return started[-1]

    monkeypatch.setattr(compiler, "started", stranger)
    monkeypatch.setattr(compiler, "HELLO_WITHIN", 0.5)
    assert len(code_of(1)) > len(expected) // 2
    assert all(process.poll() is not None for process in started)
    known = len(started)
    assert code_of(2)
    assert len(started) == known or script == STRANGERS["leaving"]


def test_the_helper_can_be_forbidden(waiting, monkeypatch):
    """KORBA_HELPER=off starts nothing, and the same text compiles in this process."""
    monkeypatch.setenv("KORBA_HELPER", "off")
    assert compiler.started(host()) is None
    assert code_of(1)
    assert not compiler.WAITING._idle


def test_libraries_that_are_gone_leave_no_memory():
    """LLVM's linker keeps a part of every library for ever, so it is made anew after some."""
    code = code_of(1)
    first = weakref.ref(machine._linker(host(), -1))
    machine._linker.cache_clear()
    assert first() is None
    before = machine._linker.cache_info().misses
    for _ in range(3 * machine.RENEWED):
        machine.Library(code, host(), ("f",))
    assert machine._linker.cache_info().misses - before in (3, 4)
