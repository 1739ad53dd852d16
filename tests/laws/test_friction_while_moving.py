"""Friction in a simulation is that of `reactions`: the same law under the same forces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose
from rough_mechanisms import mechanism

import korba as kb
from korba.codegen import evaluate_program
from korba.simulation.arguments import Starts
from korba.simulation.first_modes import first_modes
from korba.simulation.on_the_way import on_the_way
from korba.simulation.right_hand_side import plant_of, slope_program

TAKEN = ("four-bar", "slider-crank", "yoke", "wheels and rack")
REFUSED = {
    "four-bar in space": "passive constraint",
    "rssr": "joint 'B' is not simulated, because a spherical",
    "ball on a line": "joint 'B' is not simulated",
    "cam and roller": "joint 'C' is not simulated",
}


@pytest.mark.parametrize("kind", TAKEN)
@pytest.mark.parametrize("seed", seeds(0.05))
def test_slipping_is_that_of_reactions(kind, seed):
    """Accelerations of a run at a random state need no other drive than the torque given."""
    whole = mechanism(kind, seed, mu=0.1)
    m = replace(whole, drives=[])
    plant, numbers = plant_of(m, tau={"A": 0.7}, events=on_the_way("friction"))
    moved = kb.motion(whole, [0.1 + 0.02 * seed])
    q, v = moved.q[0], moved.v[0]
    switches = np.zeros((1, len(plant.switches)))
    start = Starts((), q[None], v[None], numbers[None], np.zeros((1, 0)), switches)
    tau = np.concatenate([numbers, first_modes(plant, None, start, (), 0.0)[0]])
    y = np.concatenate([q, v, [0.0]])
    slope = evaluate_program(slope_program(plant), y, np.zeros(1), tau, np.zeros(0))
    a = slope[plant.tree.nq : plant.tree.nq + plant.tree.nv]
    needed = kb.reactions(whole, q, v, a, friction=True)
    assert_allclose(needed.efforts, 0.7, atol=1e-9)


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_not_simulated_is_said(kind):
    """Joints that slip in two directions, and forces that are open, are refused by name."""
    with pytest.raises(kb.StructureError, match=REFUSED[kind]):
        plant_of(mechanism(kind, 0, mu=0.1), events=on_the_way("friction"))
