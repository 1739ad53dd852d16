"""Copies, pickles, spawned and forked processes: what they get is what was there."""

import copy
import multiprocessing
import os
import pickle
import signal
import threading
import time
from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import korba as kb
from korba.codegen import CacheFolder, compile_program, trace
from korba.codegen.callable import compiled as compiled_module
from korba.codegen.targets.llvm import machine
from korba.errors import Fault
from korba.expr import node


def arm(joints=3):
    """A chain of links that turn about different axes."""
    names = ["ground", *(f"link{i}" for i in range(joints))]
    axes = [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    return kb.Mechanism(
        "arm",
        [
            kb.Body(name, 1.0 + i, (0.2, 0, 0.1), (0.1, 0.2, 0.2))
            for i, name in enumerate(names[1:])
        ],
        [
            kb.Revolute(f"q{i}", names[i], names[i + 1], at=(0.5 * i, 0, 0), axis=axes[i % 3])
            for i in range(joints)
        ],
    )


def state(m):
    """A state and an acceleration of a mechanism."""
    return np.random.default_rng(0).normal(size=(3, m.nv))


def pickled(value):
    """A value through a pickle, as a queue of processes sends it."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301


@pytest.fixture(scope="module")
def spawned():
    """A process that was spawned: it knows nothing but what it is sent."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        yield pool


@pytest.mark.parametrize("way", [pickled, copy.copy, copy.deepcopy])
def test_a_trajectory_is_the_same_afterwards(way):
    """Every column, unit, note and text of a copy is that of the trajectory, of a batch too."""
    m = arm()
    batch = np.random.default_rng(1).normal(size=(2, m.nq))
    runs = [kb.simulate(m, until=0.2), kb.simulate(m, until=0.2, q=batch, times=3)]
    driven = replace(m, drives=[kb.JointDrive(f"d{name}", name, "t") for name in m.coordinates])
    for moved in (*runs, runs[1].run(1), runs[0][1:3], kb.motion(driven, [0.0, 0.1, 0.2])):
        again = way(moved)
        assert_array_equal(again.columns, moved.columns)
        assert (again.names, again.units, again.notes) == (moved.names, moved.units, moved.notes)
        assert (again.message, again.mechanism) == (moved.message, moved.mechanism)
        assert str(again) == str(moved)


def functions(m):
    """Compiled functions made in all ways, with their number of arguments."""
    return [
        (kb.compile(kb.inverse_dynamics, m), 3),
        (kb.compile(kb.mass_matrix, m), 1),
        (kb.compile(kb.pose, m, body="link1"), 1),
        (kb.compile(kb.derivative(kb.inverse_dynamics, m, ("q", "v"))), 3),
        (compile_program(trace(lambda x: (x[0] * np.sin(x[1]), 2.0), {"x": 3})), 1),
    ]


def same(results, others):
    """Whether results, arrays or tuples of them, are the same to the last bit."""
    pairs = zip(results, others, strict=True) if isinstance(results, tuple) else [(results, others)]
    return all(np.array_equal(one, other) for one, other in pairs)


@pytest.mark.parametrize("way", [pickled, copy.copy, copy.deepcopy])
def test_a_compiled_function_gives_the_same_afterwards(way):
    """Also after its first call, which changes what it is inside."""
    m = arm()
    inputs = state(m)
    for f, count in functions(m):
        fresh = way(f)
        expected = f(*inputs[:count])
        for again in (fresh, way(f)):
            assert same(again(*inputs[:count]), expected)
            assert repr(again) == repr(f)


def test_a_spawned_process_answers_the_same(spawned):
    """Mechanisms, trajectories, programs and compiled functions go to a new process and back."""
    m = arm()
    inputs = state(m)
    moved = kb.simulate(m, until=0.1)
    assert spawned.apply(copy.copy, (m,)) == m
    assert_array_equal(spawned.apply(attrgetter("columns"), (moved,)), moved.columns)
    for f, count in functions(m):
        assert same(spawned.apply(f, inputs[:count]), f(*inputs[:count]))
        assert spawned.apply(attrgetter("digest"), (f.program,)) == f.program.digest


def test_a_long_chain_is_sent_as_its_question(spawned):
    """A function that repeats over many links is rebuilt on the other side."""
    m = arm(40)
    f, inputs = kb.compile(kb.inverse_dynamics, m), state(m)
    assert same(spawned.apply(f, inputs), f(*inputs))
    assert len(pickle.dumps(f)) < 100_000


@pytest.mark.parametrize("seed", range(5))
def test_a_pickled_program_is_the_same_program(seed):
    """Nodes, their order, outputs and digest stay; the size grows with the program only."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(30, 4))

    def formula(x):
        values = list(x)
        for w in weights:
            values.append(np.sin(values[-1]) * w[0] + values[-2] * values[-4] - w[1])
        return np.array(values[-6:])

    program = trace(formula, {"x": 4})
    again = pickled(program)
    assert again == program
    assert again.digest == program.digest
    assert len(pickle.dumps(program)) < 200 * len(program.nodes)


ERRORS = [
    kb.KorbaError("plain", [Fault(("joint", "A"), "wrong", 3)]),
    kb.FileError.of_faults("a.toml", [Fault((), "wrong")]),
    kb.SimulationError("stopped", trajectory=3),
    kb.AssemblyError("open", {"A": 0.1}),
    kb.DeadPointError("dead", t=1.0, values={"A": 1.0}, motion=None),
    kb.ReachError("far", distance=1.0, angle=0.0, q=[1.0]),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_reach_other_processes(error):
    """An error keeps its class, its text and what it carries."""
    for again in (pickled(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)


def ended_well(child, seconds=60.0):
    """Whether a child ends with status 0 in time; else it is killed."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python warns of threads at a fork,
@pytest.mark.filterwarnings("ignore:os.fork")  # and so does JAX, where a test has loaded it
def test_a_fork_during_a_compilation_leaves_the_child_free(monkeypatch):
    """While threads compile, trace and load, a forked child does all of it and ends."""
    m = arm()
    f, inputs = kb.compile(kb.inverse_dynamics, m), state(m)
    slow = compile_program(f.program, CacheFolder(None))
    whole, going, entered = machine._compiled, threading.Event(), threading.Semaphore(0)

    def held_compilation(*args):
        entered.release()
        going.wait()
        return whole(*args)

    def held_formula(x):
        entered.release()
        going.wait()
        return x

    monkeypatch.setattr(machine, "_compiled", held_compilation)
    jobs = [lambda: slow(*inputs), lambda: trace(held_formula, {"x": 1}), hold_lock(entered, going)]
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
        entered.acquire()
    child = os.fork()
    if child == 0:
        machine._compiled = whole
        program = trace(lambda x: x * np.cos(x), {"x": 2})
        new = compile_program(program, CacheFolder(None))
        right = same(slow(*inputs), f(*inputs)) and np.array_equal(new([0.0, 0.0]), [0.0, 0.0])
        os._exit(0 if right else 1)
    try:
        assert ended_well(child)
    finally:
        going.set()
        for thread in threads:
            thread.join()
    assert same(slow(*inputs), f(*inputs))


def hold_lock(entered, going):
    """A job that holds the lock of the table of nodes."""

    def job():
        with node._LOCK:
            entered.release()
            going.wait()

    return job


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore:os.fork")
def test_forks_at_any_moment_of_a_compilation_end():
    """Children forked one after the other during real compilations all compile and end."""
    programs = [kb.inverse_dynamics.program(arm(n)) for n in range(2, 6)]
    compile_program(programs[0], CacheFolder(None))(*np.zeros((3, 2)))
    done = threading.Event()

    def compile_all():
        for n, program in enumerate(programs, start=2):
            compile_program(program, CacheFolder(None))(*np.zeros((3, n)))
        done.set()

    thread = threading.Thread(target=compile_all)
    thread.start()
    children = []
    while not done.is_set() and len(children) < 8:
        child = os.fork()
        if child == 0:
            compile_program(programs[0], CacheFolder(None))(*np.zeros((3, 2)))
            os._exit(0)
        children.append(child)
        time.sleep(0.05)
    thread.join()
    ends = [ended_well(child) for child in children]  # each is waited for
    assert all(ends)


def test_locks_of_functions_go_with_them():
    """A function that is gone leaves no lock behind."""
    before = len(compiled_module._LOCKS)
    f = compile_program(trace(lambda x: x * 3.0, {"x": 1}), CacheFolder(None))
    f([1.0])
    assert len(compiled_module._LOCKS) == before + 1
