"""One notion of rank: all rooms count the same freedoms of a mechanism at one position.

Planar and spatial, with constraints to spare, idle spins, light and massless bodies, from a
nanometre to ten kilometres.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from law_counts import seeds
from scaled import scaled

import korba as kb
from korba.dynamics.multipliers import Constraints
from korba.positions.allowed import freedoms_left
from korba.positions.loops import loops_of
from korba.show.pages.live_inputs import input_names
from korba.system.system import any_system
from korba.verbs.forces.undriven import undriven_of


def parallelogram(rng):
    """A parallelogram with links to spare, away from where its branches cross."""
    x, turn, count = rng.uniform(0.5, 2), rng.uniform(0.4, 1.2), int(rng.integers(2, 5))
    at = [(x * k, 0.0) for k in range(count)]
    top = [(p + np.cos(turn), np.sin(turn)) for p, _ in at]
    joints = [kb.Revolute(f"A{k}", "ground", f"b{k}", at=p) for k, p in enumerate(at)]
    joints += [kb.Revolute(f"B{k}", f"b{k}", "c", at=p) for k, p in enumerate(top)]
    bodies = [
        kb.Body("c", 1, top[0], 0.1),
        *(kb.Body(f"b{k}", 1, p, 0.1) for k, p in enumerate(at)),
    ]
    return kb.Mechanism("parallelogram", bodies, joints, plane="xy")


def table(rng):
    """A point of a body on a ball rests on a plane that another body carries."""
    places = rng.normal(size=(4, 3))
    bodies = [kb.Body(name, 1, tuple(p), np.eye(3)) for name, p in zip("ab", places, strict=False)]
    joints = [
        kb.Spherical("s", "ground", "a", at=(0, 0, 0)),
        kb.Revolute("u", "ground", "b", at=(1, 0, 0), axis=tuple(places[2])),
        kb.PointOnPlane("p", "b", "a", at=tuple(places[3]), axis=tuple(rng.normal(size=3))),
    ]
    return kb.Mechanism("table", bodies, joints)


def plate(rng):
    """A plate on three equal parallel rods between balls."""
    feet, way = rng.normal(size=(3, 3)), tuple(rng.normal(size=3))
    ball = kb.Spherical
    joints = [ball(f"a{k}", "ground", f"r{k}", at=tuple(p)) for k, p in enumerate(feet)]
    joints += [ball(f"b{k}", f"r{k}", "p", at=tuple(p + way)) for k, p in enumerate(feet)]
    inertia = 0.1 * np.eye(3)
    bodies = [kb.Body("p", 1, tuple(feet[0] + way), inertia)]
    bodies += [
        kb.Body(f"r{k}", 1, tuple(p + np.divide(way, 2)), inertia) for k, p in enumerate(feet)
    ]
    return kb.Mechanism("plate", bodies, joints)


def chain(rng, axes, places, plane=None):
    """A closed chain of links with a pin at each place; the last is on the ground again."""
    count = len(places) - 1
    names = ["ground", *(f"b{k}" for k in range(count)), "ground"]
    pins = zip(places, axes, strict=True)
    given = [{"at": tuple(p)} | ({} if plane else {"axis": tuple(u)}) for p, u in pins]
    ends = list(pairwise(names))
    joints = [kb.Revolute(f"J{k}", *ends[k], **each) for k, each in enumerate(given)]
    middles = [(np.asarray(p) + q) / 2 for p, q in pairwise(places)]
    inertia = 0.1 if plane else 0.1 * np.eye(3)
    bodies = [kb.Body(f"b{k}", 1, tuple(p), inertia) for k, p in enumerate(middles)]
    return kb.Mechanism("chain", bodies, joints, plane=plane)


def four_bar(rng):
    """Four pins in the plane."""
    places = [(0, 0), (0, 1), (2, 1.5), (2.5, 0)] + 0.2 * rng.normal(size=(4, 2))
    return chain(rng, [None] * 4, places, "xy")


def spherical(rng):
    """Four pins whose axes meet in a point: three constraints to spare."""
    axes = rng.normal(size=(4, 3))
    return chain(rng, axes, list(axes))


def rod(rng):
    """A crank and a rocker with a rod between balls: it spins idly."""
    places, axes = rng.normal(size=(4, 3)), rng.normal(size=(2, 3))
    joints = [
        kb.Revolute("A", "ground", "crank", at=tuple(places[0]), axis=tuple(axes[0])),
        kb.Spherical("B", "crank", "rod", at=tuple(places[1])),
        kb.Spherical("C", "rod", "rocker", at=tuple(places[2])),
        kb.Revolute("D", "ground", "rocker", at=tuple(places[3]), axis=tuple(axes[1])),
    ]
    middles = [(p + q) / 2 for p, q in pairwise(places)]
    names = ("crank", "rod", "rocker")
    bodies = [
        kb.Body(name, 1, tuple(p), 0.1 * np.eye(3)) for name, p in zip(names, middles, strict=True)
    ]
    return kb.Mechanism("rod", bodies, joints)


MAKERS = (parallelogram, table, plate, four_bar, spherical, rod)


def random_mechanism(seed):
    """A mechanism of any size, some of its bodies light or without mass."""
    rng = np.random.default_rng(seed)
    m = MAKERS[seed % len(MAKERS)](rng)
    m = scaled(m, 10.0 ** float(rng.uniform(-9, 4)), 10.0 ** float(rng.uniform(-3, 3)))
    part = float(rng.choice([1.0, 1e-3, 1e-6, 1e-9]))
    first, *others = m.bodies
    inertia = tuple(tuple(part * x for x in row) for row in first.inertia)
    return replace(m, bodies=[replace(first, mass=part * first.mass, inertia=inertia), *others])


@pytest.mark.parametrize("seed", seeds())
def test_all_rooms_count_the_same_freedoms(seed):
    """Structure, positions, dynamics, forces, small motions and living pages, at the drawing."""
    m = random_mechanism(seed)
    report, system = kb.mobility(m), any_system(m)
    loops = loops_of(system)
    whole = report.actual + report.local
    q = loops.drawn
    free = undriven_of(m)
    counts = {
        "velocities of structure": report.instantaneous + report.local,
        "positions": freedoms_left(loops, q),
        "dynamics": system.tree.nv - Constraints(system, q).rank,
        "forces": len(free.names) + len(free.free.idle),
        "small motions": len(kb.linearise(m, q).coordinates),
    }
    assert counts == dict.fromkeys(counts, whole), m.name
    if any(joint.nq == 1 for joint in m.joints):
        assert len(input_names(m, None)) == report.actual
    run = kb.simulate(m, 1e-3, q=q, gravity=(0, 0, 0))
    assert not [note for note in run.notes if "rank" in note]


@pytest.mark.parametrize("seed", seeds())
def test_reactions_leave_open_what_structure_counts_as_passive(seed):
    """Wrenches that balance themselves have as many dimensions as the count has rows to spare."""
    m = random_mechanism(seed)
    report, system = kb.mobility(m), any_system(m)
    rest = np.zeros(system.tree.nv)
    reactions = kb.reactions(m, loops_of(system).drawn, rest, rest, gravity=(0, 0, 0))
    spare = report.instantaneous + report.local - report.theoretical
    dimensions = np.trace(reactions.open, axis1=-2, axis2=-1).sum() if reactions.open.size else 0.0
    assert dimensions == pytest.approx(spare, abs=1e-6)


@pytest.mark.parametrize("seed", seeds(0.5))
def test_without_mass_all_verbs_answer_or_none_at_any_size(seed):
    """Whether a massless body leaves accelerations open is one question, and no matter of size."""
    m = MAKERS[seed % len(MAKERS)](np.random.default_rng(seed))
    first, *others = m.bodies
    light = replace(first, mass=0.0, inertia=0.0 if m.plane else np.zeros((3, 3)))
    m = replace(m, bodies=[light, *others])
    told = {
        (own, verb): refused(scaled(m, own, 1.0), verb) for own in (1e-9, 1e4) for verb in DYNAMICS
    }
    assert len({*told.values()}) == 1, (m.name, told)


DYNAMICS = {
    "linearise": lambda m, q, v: kb.linearise(m, q),
    "forward_dynamics": lambda m, q, v: kb.forward_dynamics(m, q, v, v),
    "simulate": lambda m, q, v: kb.simulate(m, 1e-3, q=q, gravity=(0, 0, 0)),
}
"""Verbs that need all accelerations, at the drawing and at rest."""


def refused(m, verb):
    """Whether a verb says that something moves without moving any mass."""
    system = any_system(m)
    try:
        DYNAMICS[verb](m, loops_of(system).drawn, np.zeros(system.tree.nv))
    except kb.KorbaError as error:
        assert "without moving any mass" in str(error)
        return True
    return False


@pytest.mark.parametrize("seed", seeds())
def test_as_many_drives_move_it_as_structure_counts(seed):
    """Motion and forces of drives take the inputs of the living page, and one fewer is too few."""
    m = replace(random_mechanism(seed), gravity=(0, 0, 0))
    report = kb.mobility(m)
    if not any(joint.nq == 1 for joint in m.joints):
        pytest.skip("balls only: nothing can be driven")
    names = input_names(m, None)
    drawn = dict(zip(any_system(m).tree.coordinates, kb.assemble(m).values.values(), strict=True))
    drives = [kb.JointDrive(f"of {name}", name, f"{drawn[name]!r} + 0.01*t") for name in names]
    driven = replace(m, drives=drives)
    try:
        motion = kb.motion(driven, np.linspace(0, 0.1, 3))
    except kb.DeadPointError as end:  # it says why not, and has the motion so far
        motion = end.motion
    assert motion.audit.residual < 1e-9
    forces = kb.driving_forces(driven, motion)
    assert all(np.isfinite(forces[drive.name]).all() for drive in drives)
    assert len(drives) == report.actual
    with pytest.raises(kb.KorbaError, match="freedom"):
        kb.motion(replace(m, drives=drives[1:]), motion.t)


@pytest.mark.parametrize("seed", seeds())
def test_a_rod_that_spins_idly_moves_at_a_nanometre_as_at_a_metre(seed):
    """The rank of what is driven has units: a tiny mechanism does not stand in a singular place."""
    m = rod(np.random.default_rng(seed))
    moved = []
    for unit in (1.0, 1e-9):
        own = scaled(m, unit, 1.0)
        start = kb.assemble(own)["A"]
        driven = replace(own, drives=[kb.JointDrive("d", "A", f"{start!r} + 0.01*t")])
        moved.append(kb.motion(driven, np.linspace(0, 0.1, 3)).v)
    assert np.abs(moved[1] - moved[0]).max() < 1e-6 * np.abs(moved[0]).max()
