"""Loops in several limbs: solved limb by limb, with the same answers and no work between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from loaded_linkages import KINDS, heavy
from numpy.testing import assert_allclose

import korba as kb
from korba.codegen import trace
from korba.dynamics.multipliers import Constraints, accelerations
from korba.system.system import any_system
from korba.verbs.crosscheck import closed_states


def limbed(count, rng, kind="four-bar in space"):
    """A body that floats, with a linkage hanging at an arm of each limb."""
    joints = [kb.Free("float", "ground", "base", at=(0, 0, 0))]
    bodies = [heavy("base", rng, None)]
    for k in range(count):
        own, names, _ = KINDS[kind](rng)
        shift, axis = rng.uniform(-1, 1, 3), rng.normal(size=3)
        at, arm = tuple(shift), f"arm{k}"
        joints.append(kb.Revolute(f"hip{k}", "base", arm, at=at, axis=tuple(axis)))
        bodies += [heavy(arm, rng, None), *(heavy(f"{n}{k}", rng, None) for n in names)]
        for joint in own:
            ends = [arm if n == "ground" else f"{n}{k}" for n in (joint.parent, joint.child)]
            place = tuple(np.asarray(joint.at) + shift)
            joints.append(
                replace(joint, name=f"{joint.name}{k}", parent=ends[0], child=ends[1], at=place)
            )
    return kb.Mechanism(f"{count} limbs", bodies, joints)


@pytest.mark.parametrize("kind", ["four-bar in space", "rssr"])
@pytest.mark.parametrize("seed", seeds(0.05))
def test_limbs_with_loops_move_as_absolute_coordinates_say(kind, seed):
    """Rows to spare in every limb: accelerations are those of bodies alone with all joints."""
    rng = np.random.default_rng(seed)
    m = limbed(3, rng, kind)
    state = closed_states(m, 1, seed)
    q, v = state["q"][0], state["v"][0]
    tau = rng.normal(size=len(v))
    a, other = (
        kb.forward_dynamics(m, q, v, tau, formulation=name) for name in ("multipliers", "absolute")
    )
    assert_allclose(a, other, rtol=0, atol=1e-9 * (1 + np.abs(other).max()))


def test_every_limb_has_rows_of_its_own():
    """Parts of rows share no velocity, and their ranks, known one by one, add up to that of all."""
    m = limbed(4, np.random.default_rng(0))
    s = any_system(m)
    rows = Constraints(s, np.array(closed_states(m, 1)["q"][0]))
    parts = rows.parts(rows.lines)
    assert parts.ranks == (3, 3, 3, 3)
    owners = [
        {parts.of_rows[i] for i, line in enumerate(rows.lines) if j in line}
        for j in range(s.tree.nv)
    ]
    assert all(len(own) <= 1 for own in owners)


def test_work_grows_with_the_limbs():
    """Each limb asks for as much as the one before: what its loop fills in stays inside."""

    def operations(count):
        s = any_system(limbed(count, np.random.default_rng(1)))
        sizes = {"q": s.tree.nq, "v": s.tree.nv, "tau": s.tree.nv}
        return trace(lambda *state: accelerations(s, *state)[0], sizes).operations.total

    two, four, six = map(operations, (2, 4, 6))
    assert six - four <= 1.05 * (four - two)
