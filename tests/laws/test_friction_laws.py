"""Friction in every kind of joint: powers balance, or it jams; what friction cannot do."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose
from rough_mechanisms import KINDS, mechanism

import korba as kb
from korba.forces.friction_data import _faults
from korba.model.joint import Joint
from korba.model.joints import JOINT_TYPES
from korba.model.rubbing import Rubbing, friction_efforts

TIMES = np.linspace(0.05, 0.4, 4)


def test_every_joint_that_rubs_is_tried():
    """All types with a law of friction stand in some mechanism here; fixed and free have none."""
    tried = {type(joint).type for kind in KINDS for joint in mechanism(kind, 0).joints}
    rub = {name for name, joint in JOINT_TYPES.items() if joint.rubs}
    assert tried == rub
    smooth = {"ball-on-plane", "geneva", "rod", "wheel-on-plane"}
    rolling = {name for name, joint in JOINT_TYPES.items() if joint.slipping is not Joint.slipping}
    assert set(JOINT_TYPES) - rub == {"fixed", "free"} | smooth | rolling


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.05))
def test_powers_balance_or_it_jams(kind, seed):
    """Drives and loads give what masses, dampers and friction take, however rough it is."""
    mu = (0.05, 0.4, 3.0)[seed % 3]
    m = mechanism(kind, seed, mu)
    found = kb.reactions(m, kb.motion(m, TIMES), friction=True)
    moves = ~found.jammed
    assert found.balance.audit < 1e-9
    assert found.frictionless.balance.audit < 1e-9
    for loss in found.losses.values():
        assert np.all(np.isnan(loss) == found.jammed)
        assert np.all(loss[moves] >= -1e-12 * np.abs(found.balance.kinetic).max())
    assert np.all(np.isnan(found.force).all(axis=(1, 2)) == found.jammed)
    assert sum(jam.rows.stop - jam.rows.start for jam in found.jams) == found.jammed.sum()
    if moves.any():
        taken, smooth = (
            sum(each.balance.drives.values()) - each.balance.kinetic
            for each in (found, found.frictionless)
        )
        lost = sum(found.losses.values())
        top = np.abs(taken[moves]).max()
        assert_allclose(taken[moves], (smooth + lost)[moves], rtol=0, atol=1e-9 * top)


@pytest.mark.parametrize(
    "kind", ["slider-crank", "cam on cam", "ball on a plane", "cam and roller"]
)
@pytest.mark.parametrize("seed", seeds(0.15))
def test_what_jams_jams_with_more_friction_too(kind, seed):
    """Below the part of friction that was reached there is a solution, and above it none.

    Friction is let grow by its coefficients alone: no pins, whose circle is no multiple of mu.
    """
    mu = 4.0

    def slack(m, part):
        joints = []
        for joint in m.joints:
            data = joint.friction
            if joint.turns_only:
                joints.append(replace(joint, friction=None))
                continue
            grown = {"coefficient": part * data.coefficient, "rolling": part * data.rolling}
            if data.half_height:
                grown["half_height"] = 0.0
            changed = replace(data, **grown, static=None, stribeck_velocity=None)
            joints.append(replace(joint, friction=changed))
        return replace(m, joints=joints)

    m = mechanism(kind, seed, mu)
    motion = kb.motion(m, TIMES[:2])
    whole = kb.reactions(slack(m, 1.0), motion, friction=True)
    for jam in whole.jams:
        less = kb.reactions(slack(m, 0.98 * jam.reached), motion, friction=True)
        assert not less.jammed[jam.rows].all()
        more = kb.reactions(slack(m, 1.02 * jam.reached), motion, friction=True)
        assert more.jammed[jam.rows].any()


CHANGES = {
    "coefficient": 0.2,
    "radius": 0.02,
    "running": "new",
    "half_height": 0.1,
    "static": 0.3,
    "stribeck_velocity": 0.01,
    "effort": 0.1,
    "rolling": 0.01,
    "flank_angle": 0.5,
    "efficiency": 0.5,
    "law": "0.25 + 0.1*u",
    "effort_law": "0.2 + u",
}


def rubbing(joint, data, seed=0):
    """A joint with friction in a random state under a random wrench."""
    rng = np.random.default_rng(seed)
    q = joint.normalised(joint.drawn_coordinates + rng.uniform(-0.1, 0.1, joint.nq))
    v, F = rng.normal(size=joint.nv), rng.normal(size=6)
    D, vectors = joint.motion_subspace(q), joint.friction_vectors(q)
    return Rubbing(joint, data, D, vectors, v, v, F, np.zeros(joint.nv))


def efforts(r):
    """Of friction, as numbers."""
    return friction_efforts(r).astype(float)


def slowly(r):
    """Its efforts at speeds at which friction still falls."""
    return efforts(r._replace(v=0.05 * r.v, going=0.05 * r.going))


def rough_joints():
    """One joint of each type that rubs, with friction."""
    every = (joint for kind in KINDS for joint in mechanism(kind, 0, 0.1).joints)
    return list({joint.type: joint for joint in every}.values())


@pytest.mark.parametrize("key", [each.name for each in fields(kb.Friction) if each.metadata])
def test_every_field_of_friction_is_read(key):
    """Another value of a field gives another friction in the joints whose law reads it alone."""
    differs = {}
    for joint in rough_joints():
        other = replace(joint.friction, **{key: CHANGES[key]})
        one, two = (slowly(rubbing(joint, each)) for each in (joint.friction, other))
        differs[joint.type] = bool(np.abs(one - two).max() > 1e-9)
        assert differs[joint.type] == (key in joint.rubs.reads), joint.type
    assert any(differs.values())


def test_fields_that_a_law_does_not_read_are_refused():
    """Each is named with the joint and what its law reads."""
    for joint in rough_joints():
        reads = joint.rubs.reads
        for key in CHANGES.keys() - {*reads, "effort", "effort_law"}:
            other = replace(joint, friction=replace(joint.friction, **{key: CHANGES[key]}))
            faults = [*_faults(other, other.friction, False)]
            assert faults[:1] == [
                f"friction of a {joint.type} joint reads {', '.join(reads)}, and not {key}; "
                "leave that out"
            ]


@pytest.mark.parametrize("seed", seeds())
def test_friction_never_drives(seed):
    """In no joint and under no wrench does friction give power, and none comes of no load."""
    for joint in rough_joints():
        r = rubbing(joint, joint.friction, seed)
        assert efforts(r) @ r.v <= 0
        assert_allclose(efforts(r._replace(F=0.0 * r.F)), 0, rtol=0, atol=1e-14)
        assert_allclose(efforts(r._replace(F=3.0 * r.F)), 3 * efforts(r), rtol=1e-12)
