"""Finite and instantaneous mobility of known linkages, local freedoms, drives, edits, odd cases."""

from dataclasses import replace

import numpy as np
import pytest
from test_structure_laws import GROUND, joint, mechanism, planar_chain

from korba.errors import KorbaError, StructureError
from korba.model.coupling import Coupling
from korba.model.drawing import drawing
from korba.model.drives.body_drive import BodyDrive
from korba.model.drives.joint_drive import JointDrive
from korba.model.drives.length_drive import LengthDrive
from korba.model.joint import Elastic, Rotor
from korba.model.mechanism import Mechanism
from korba.spatial.pose import identity, rotation, translation
from korba.spatial.rotation import rotation_x, rotation_z
from korba.structure.groups import groups
from korba.structure.mobility import mobility
from korba.structure.placement import drawn_placement
from korba.structure.reasons import edits_against_passive


def ring(axes, kind="revolute"):
    """One loop of pairs, each (point, direction)."""
    links = [GROUND, *map(str, range(1, len(axes))), GROUND]
    return mechanism(
        [
            joint(kind, f"J{i}", links[i], links[i + 1], at, axis=tuple(axis))
            for i, (at, axis) in enumerate(axes)
        ]
    )


def balance(m, **more):
    """W_T, W_R, W_L, W_B."""
    r = mobility(m, **more)
    return r.theoretical, r.actual, r.local, r.passive


def bennett(angle):
    """Four axes from the Denavit-Hartenberg rows of a Bennett linkage."""
    a, alpha, beta = 1.0, 0.6, 1.1
    b = a * np.sin(beta) / np.sin(alpha)
    ratio = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    other = 2 * np.arctan(ratio / np.tan(angle / 2))
    X, axes = identity(), []
    rows = [(angle, a, alpha), (other, b, beta), (-angle, a, alpha), (-other, b, beta)]
    for turn, length, twist in rows:
        axes.append((X.p, X.R[:, 2]))
        X = X @ rotation(rotation_z(turn)) @ translation(x=length) @ rotation(rotation_x(twist))
    assert max(np.abs(X.p).max(), np.abs(X.R - np.eye(3)).max()) < 1e-12
    return ring(axes)


@pytest.mark.parametrize("angle", [0.4, 0.8, 1.7])
def test_bennett_linkage(angle):
    """Four skew axes with equal opposite sides and a/sin(alpha) = b/sin(beta) move: W_T = -2."""
    m = bennett(angle)
    assert balance(m) == (-2, 1, 0, 3)
    assert mobility(m).instantaneous == 1


@pytest.mark.parametrize("seed", range(5))
def test_line_symmetric_bricard(seed):
    """Six axes, three of them half-turned copies of the others, move; six random ones do not."""
    rng = np.random.default_rng(seed)
    half = [(rng.normal(size=3), rng.normal(size=3)) for _ in range(3)]
    turn = np.diag([-1.0, -1, 1])
    assert balance(ring(half + [(turn @ p, turn @ u) for p, u in half])) == (0, 1, 0, 1)
    other = [(rng.normal(size=3), rng.normal(size=3)) for _ in range(3)]
    assert balance(ring(half + other)) == (0, 0, 0, 0)
    assert balance(ring([*half, *other, (rng.normal(size=3), rng.normal(size=3))])) == (1, 1, 0, 0)


def test_sarrus_linkage():
    """Two sets of three parallel axes guide a platform straight: W_T = 0, W_R = 1."""
    x, y = (1, 0, 0), (0, 1, 0)
    axes = [((1, 0, 0), y), ((1.5, 0, 0.8), y), ((1, 0, 1.6), y)]
    axes += [((0, 1, 1.6), x), ((0, 1.4, 0.8), x), ((0, 1, 0), x)]
    assert balance(ring(axes)) == (0, 1, 0, 1)


@pytest.mark.parametrize("seed", range(4))
def test_spherical_four_bar(seed):
    """Four axes through one point: W_T = -2, W_B = 3; counted with s = 3 nothing is passive."""
    rng = np.random.default_rng(seed)
    m = ring([((1, 2, 3), rng.normal(size=3)) for _ in range(4)])
    assert balance(m) == (-2, 1, 0, 3)
    assert balance(m, space="spherical") == balance(m, space="detect") == (1, 1, 0, 0)


def legs(kinds, count, seed, ends=None):
    """A platform on legs with three pairs each, at random places."""
    rng = np.random.default_rng(seed)
    joints = []
    for i in range(count):
        foot = rng.normal(size=3) * [1, 1, 0.1]
        head = rng.normal(size=3) * [0.6, 0.6, 0.1] + [0, 0, 1.5]
        along = head - foot
        side = np.cross(along, [0.3, 0.2, 0.9])
        normal = np.cross(along, side)
        links = [GROUND, f"l{i}", f"u{i}", "top"]
        axes = [(side, normal), (along, None), (side, normal)]
        for k, (kind, at) in enumerate(zip(kinds, (foot, (foot + head) / 2, head), strict=True)):
            axis, x_axis = axes[k]
            more = {} if x_axis is None else {"x_axis": tuple(x_axis)}
            joints.append(
                joint(kind, f"{'BPT'[k]}{i}", links[k], links[k + 1], at, axis=tuple(axis), **more)
            )
    return mechanism(joints)


@pytest.mark.parametrize("seed", range(3))
def test_stewart_platform(seed):
    """6-SPS has six freedoms and a spin in every leg; 6-UPS has the six freedoms alone."""
    assert balance(legs(("spherical", "prismatic", "spherical"), 6, seed)) == (12, 6, 6, 0)
    assert balance(legs(("universal", "prismatic", "spherical"), 6, seed)) == (6, 6, 0, 0)


def delta():
    joints = []
    for i in range(3):
        c, s = np.cos(2 * np.pi * i / 3), np.sin(2 * np.pi * i / 3)
        out, side, up = np.array([c, s, 0]), np.array([-s, c, 0]), np.array([0, 0, 1.0])
        joints.append(joint("revolute", f"A{i}", GROUND, f"arm{i}", out, axis=tuple(side)))
        elbow, wrist = (1.5 + 0.1 * i) * out - 0.4 * up, 0.4 * out - 1.5 * up
        for k, shift in enumerate((-0.2, 0.2)):
            rod = f"rod{i}{k}"
            joints.append(joint("spherical", f"E{i}{k}", f"arm{i}", rod, elbow + shift * side))
            joints.append(joint("spherical", f"W{i}{k}", rod, "plate", wrist + shift * side))
    return mechanism(joints)


def test_delta_robot():
    """Three arms and six rods between balls: three translations and six spins."""
    assert balance(delta()) == (9, 3, 6, 0)
    found = groups(delta(), ["A0", "A1", "A2"])
    assert [g.kind for g in found.groups] == ["input"] * 3 + ["group"]
    assert set(found.groups[3].bodies) == {
        "plate",
        *(f"rod{i}{k}" for i in range(3) for k in (0, 1)),
    }


def three_upu():
    joints = []
    for i in range(3):
        t = 2 * np.pi * i / 3 + 0.2 * i
        out, side = np.array([np.cos(t), np.sin(t), 0]), np.array([-np.sin(t), np.cos(t), 0])
        foot, head = out, 0.6 * out + [0, 0, 1.4]
        normal = np.cross(head - foot, side)
        first = {"axis": tuple(side), "x_axis": tuple(normal)}
        second = {"axis": tuple(normal), "x_axis": tuple(side)}
        along = tuple(head - foot)
        joints.append(joint("universal", f"B{i}", GROUND, f"l{i}", foot, **first))
        joints.append(joint("prismatic", f"P{i}", f"l{i}", f"u{i}", (foot + head) / 2, axis=along))
        joints.append(joint("universal", f"T{i}", f"u{i}", "plate", head, **second))
    return mechanism(joints)


def test_three_upu_platform():
    """Three UPU legs with parallel outer axes have as many freedoms as counted."""
    assert balance(three_upu()) == (3, 3, 0, 0)


def four_bar(*points, **more):
    return planar_chain(points, **more)


def test_dead_centre_is_an_ordinary_position():
    """Crank and coupler in line: one freedom of velocities and one of motion."""
    r = mobility(four_bar((0, 0), (1, 0), (3, 0), (2.5, 1)))
    assert (r.theoretical, r.actual, r.passive, r.instantaneous) == (1, 1, 0, 1)


@pytest.mark.parametrize(
    "points",
    [
        [(0, 0), (1, 0), (4, 0), (3, 0)],  # flat parallelogram
        [(0, 0), (-1, 0), (2, 0), (4, 0)],  # a + d = b + c, folded
        [(0, 0), (2, 0), (0.5, 0), (1.5, 0)],  # kite laid flat
    ],
)
def test_folded_four_bars_branch(points):
    """All joints on one line: two velocity freedoms, two branches of motion with one freedom."""
    r = mobility(four_bar(*points))
    assert (r.theoretical, r.actual, r.local, r.passive, r.instantaneous) == (1, 1, 0, 0, 2)
    assert "special position" in [reason.kind for reason in r.reasons]


def test_a_stretched_four_bar_is_locked():
    """With a = b + c + d the only position is flat: velocities but no motion at all."""
    r = mobility(four_bar((0, 0), (4, 0), (3, 0), (1, 0)))
    assert (r.actual, r.instantaneous) == (0, 2)


def test_a_shaky_truss_is_rigid():
    """Two bars in one line between two fixed points: one velocity freedom, no motion."""
    m = four_bar((0, 0), (1, 0), (3, 0))
    r = mobility(m)
    assert (r.theoretical, r.actual, r.passive, r.instantaneous) == (0, 0, 0, 1)


def test_a_shaky_truss_on_a_moving_link_is_shaky_in_every_position():
    """Carried by a crank, the truss keeps its false freedom: three velocities never last."""
    joints = [joint("revolute", "O", GROUND, "base", (0, -1))]
    joints += [
        joint("revolute", n, a, b, at)
        for n, a, b, at in [
            ("A", "base", "1", (0, 0)),
            ("B", "1", "2", (1, 0)),
            ("C", "2", "base", (3, 0)),
        ]
    ]
    r = mobility(mechanism(joints, "xy"))
    assert (r.theoretical, r.actual, r.passive, r.instantaneous) == (1, 1, 0, 2)


def test_three_parallel_equal_bars_move():
    """The doubled parallelogram of Fig. 1.19b: W_T = 0, W_B = 1, W_R = 1; unequal bars lock it."""

    def platform(tip):
        return mechanism(
            [
                joint("revolute", n, a, b, at)
                for n, a, b, at in [
                    ("A", GROUND, "1", (0, 0)),
                    ("B", "1", "4", (0.5, 1)),
                    ("C", GROUND, "2", (2, 0)),
                    ("D", "2", "4", (2.5, 1)),
                    ("E", GROUND, "3", (3, 0.5)),
                    ("F", "3", "4", tip),
                ]
            ],
            "xy",
        )

    assert balance(platform((3.5, 1.5))) == (0, 1, 0, 1)
    assert balance(platform((3.6, 1.8))) == (0, 0, 0, 0)


def test_a_rotor_in_two_bearings_turns_for_use():
    """Fig. 1.20: what a link does on one other link is its actual and not its local mobility."""
    R, C = (joint(kind, "A", GROUND, "1") for kind in ("revolute", "cylindrical"))

    def far(kind, at=(0, 0, 1)):
        return joint(kind, "B", GROUND, "1", at)

    assert balance(mechanism([R, far("cylindrical")])) == (-3, 1, 0, 4)
    assert balance(mechanism([R, far("revolute")])) == (-4, 1, 0, 5)
    assert balance(mechanism([C, far("cylindrical", (1, 0, 0))])) == (-2, 1, 0, 3)
    housings = [joint("fixed", f"h{i}", GROUND, f"house{i}") for i in (1, 2)]
    A = joint("revolute", "A", "house1", "1")
    B = joint("cylindrical", "B", "house2", "1", (0, 0, 1))
    assert balance(mechanism([*housings, A, B])) == (-3, 1, 0, 4)


def cam(**more):
    """A cam, a roller and a follower; the roller's place follows from the profile."""
    contact = {"profile": "1 + 0.1*cos(beta)", "radius": 0.2, "drawn": (1.57, 0.0)}
    K = joint("cam-roller", "K", "cam", "roller", **contact)
    A = joint("revolute", "A", GROUND, "cam")
    Q = drawing(mechanism([A, K], "xy")).X_WM["K"].p
    joints = [A, K, joint("revolute", "Q", "roller", "follower", Q)]
    joints.append(joint("prismatic", "F", "follower", GROUND, (0, 1, 0), axis=(0, 1)))
    return mechanism(joints, "xy", **more)


def test_a_roller_turns_alone_unless_it_is_geared():
    """Fig. 1.16b: W_L = 1 for the roller; a coupling of its turning takes the local freedom."""
    assert balance(cam()) == (2, 1, 1, 0)
    assert balance(cam(couplings=(Coupling("c", "Q", "3*A"),))) == (1, 1, 0, 0)
    assert mobility(cam()).locals[0].bodies == ("roller",)


def test_r2tr_of_fig_1_17():
    """Two sliders on a link: parallel slides leave it a local freedom and lock the rest."""

    def chain(second):
        return mechanism(
            [
                joint("revolute", "A", GROUND, "1", (0, 0)),
                joint("prismatic", "B", "1", "2", (1, 0), axis=(1, 0)),
                joint("prismatic", "C", "2", "3", (2, 1), axis=second),
                joint("revolute", "D", "3", GROUND, (3, 0.3)),
            ],
            "xy",
        )

    assert balance(chain((0, 1))) == (1, 1, 0, 0)
    assert balance(chain((1, 0)))[1:3] == (0, 1)


@pytest.mark.parametrize("axis, rod", [((0, 1, 1), 1), ((1, 1, 1), 0)])
def test_mcpherson_strut_of_fig_1_18(axis, rod):
    """The rod turns alone only if C goes through D; then knuckle and rod together turn for use."""
    joints = [
        joint("revolute", "A", GROUND, "1", (0, 0, 0), axis=(1, 0, 0)),
        joint("spherical", "B", "1", "2", (0, 1, 0)),
        joint("cylindrical", "C", "2", "3", (0.2, 1, 1), axis=axis),
        joint("spherical", "D", "3", GROUND, (0.2, 2, 2)),
    ]
    assert balance(mechanism(joints)) == (3, 2, 1, 0)
    steering = BodyDrive("steering", "2", angle="t")
    assert balance(mechanism(joints, drives=(steering,))) == (3, 3 - rod, rod, 0)


def test_gears_and_couplings_say_the_same():
    """A mesh and a coupling with its ratio both leave one freedom; both together repeat it."""
    wheels = [joint("revolute", "A", GROUND, "1"), joint("revolute", "B", GROUND, "2", (3, 0, 0))]
    radii = {"x_axis": (1, 0), "parent_radius": 1, "child_radius": 2}
    mesh = joint("gear-mesh", "Z", "1", "2", (1, 0, 0), **radii)
    law = Coupling("c", "B", "-A/2")
    assert balance(mechanism([*wheels, mesh], "xy")) == (1, 1, 0, 0)
    assert balance(mechanism(wheels, "xy", couplings=(law,))) == (1, 1, 0, 0)
    assert balance(mechanism([*wheels, mesh], "xy", couplings=(law,))) == (0, 1, 0, 1)
    wrong = Coupling("c", "B", "-A/3")
    assert balance(mechanism([*wheels, mesh], "xy", couplings=(wrong,))) == (0, 0, 0, 0)


def test_planetary_gear():
    """Sun, carrier, planet and fixed ring: one freedom, none without a free sun."""
    sun = {"x_axis": (1, 0), "parent_radius": 1, "child_radius": 2}
    ring_ = {"x_axis": (1, 0), "parent_radius": 5, "child_radius": 2, "inner": True}
    joints = [
        joint("revolute", "A", GROUND, "sun"),
        joint("revolute", "C", GROUND, "carrier"),
        joint("revolute", "B", "carrier", "planet", (3, 0, 0)),
        joint("gear-mesh", "Z", "sun", "planet", (1, 0, 0), **sun),
    ]
    assert balance(mechanism(joints, "xy")) == (2, 2, 0, 0)
    joints.append(joint("gear-mesh", "Y", GROUND, "planet", (5, 0, 0), **ring_))
    assert balance(mechanism(joints, "xy")) == (1, 1, 0, 0)


def test_drives_leave_what_they_do_not_hold():
    """A five-bar with one drive keeps one freedom, with two none, at a branch point as well."""
    points = [(0, 0), (0, 1), (2, 2), (4, 1), (3, 0)]
    drives = [JointDrive(n, n, "t") for n in "AE"]
    left = [mobility(planar_chain(points, drives=tuple(drives[:n]))).undriven for n in range(3)]
    assert left == [2, 1, 0]
    flat = [(0, 0), (1, 0), (4, 0), (3, 0)]
    assert mobility(planar_chain(flat, drives=(drives[0],))).undriven == 0


def edited(m, edit):
    """The mechanism with one joint replaced as the edit says."""
    old = m.joint(edit.joint)
    R = drawing(m).X_WM[old.name].R
    axis, x_axis = edit.axes or (tuple(R[:, 2]), tuple(R[:, 0]))
    new = joint(edit.new, old.name, old.parent, old.child, old.at, axis=axis, x_axis=x_axis)
    return replace(m, joints=tuple(new if j is old else j for j in m.joints))


@pytest.mark.parametrize("seed", range(8))
def test_edits_lower_the_passive_constraints_and_keep_the_mobility(seed):
    """Each proposed edit, carried out, takes out as many passive constraints and no mobility."""
    rng = np.random.default_rng(seed)
    spin = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    points = [(0, 0, 0), (0, 1, 0), (3, 2, 0), (3, 0, 0), (1, -1, 0)][: 4 + seed % 2]
    planar = ring([(spin @ p, spin[:, 2]) for p in np.array(points, dtype=float)])
    m = (planar, planar, bennett(0.8), ring([((0, 0, 0), u) for u in rng.normal(size=(4, 3))]))[
        seed % 4
    ]
    _, actual, local, passive = balance(m)
    everywhere = range(len(m.joints))
    edits, left = edits_against_passive(drawn_placement(m), everywhere, everywhere)
    assert left == 0
    for edit in edits:
        m = edited(m, edit)
        passive -= edit.more
        assert balance(m)[1:] == (actual, local, passive)
    assert passive == 0


ODD = {
    "nothing": Mechanism,
    "nothing in a plane": lambda: Mechanism(plane="xy"),
    "welded chain": lambda: mechanism(
        [joint("fixed", f"F{i}", GROUND if i == 0 else f"b{i - 1}", f"b{i}") for i in range(4)]
    ),
    "welded twice": lambda: mechanism([joint("fixed", n, GROUND, "1") for n in "AB"]),
    "free body": lambda: mechanism([joint("free", "A", GROUND, "1")]),
    "free planar body": lambda: mechanism([joint("planar", "A", GROUND, "1")], "xy"),
    "two free joints": lambda: mechanism([joint("free", n, GROUND, "1") for n in "AB"]),
    "two planar joints": lambda: mechanism([joint("planar", n, GROUND, "1") for n in "AB"], "xy"),
    "one joint twice": lambda: mechanism([joint("revolute", n, GROUND, "1") for n in "AB"], "xy"),
    "four joints in one point": lambda: four_bar(*[(0, 0)] * 4),
    "zero-length crank": lambda: four_bar((0, 0), (0, 0), (3, 2), (3, 0)),
    "tiny": lambda: four_bar((0, 0), (0, 1e-7), (3e-7, 2e-7), (3e-7, 0)),
    "huge": lambda: four_bar((0, 0), (0, 1e7), (3e7, 2e7), (3e7, 0)),
    "far away": lambda: four_bar((1e6, 1e6), (1e6, 1e6 + 1), (1e6 + 3, 1e6 + 2), (1e6 + 3, 1e6)),
    "open chain": lambda: mechanism(
        [joint("revolute", "A", GROUND, "1"), joint("revolute", "B", "1", "2", (1, 0, 0))]
    ),
    "cam": cam,
}
KNOWN = {
    "nothing": (0, 0, 0, 0), "nothing in a plane": (0, 0, 0, 0), "welded chain": (0, 0, 0, 0),
    "welded twice": (-6, 0, 0, 6), "free body": (6, 6, 0, 0), "free planar body": (3, 3, 0, 0),
    "two free joints": (6, 6, 0, 0), "two planar joints": (3, 3, 0, 0),
    "one joint twice": (-1, 1, 0, 2), "tiny": (1, 1, 0, 0), "huge": (1, 1, 0, 0),
    "far away": (1, 1, 0, 0), "open chain": (2, 2, 0, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_mechanisms_get_an_answer(name):
    """Nothing escapes from mechanisms at the edge of sense, and the balance holds."""
    m = ODD[name]()
    r = mobility(m)
    assert r.actual == r.theoretical - r.local + r.passive
    assert str(r)
    if name in KNOWN:
        assert balance(m) == KNOWN[name]
    for space in ("detect", "spatial"):
        try:
            mobility(m, space)
        except KorbaError:
            assert any(not j.spatial for j in m.joints)
    try:
        groups(m, [])
    except StructureError as error:
        assert "freedoms" in str(error)


def test_welded_links_are_not_a_rigid_sub_chain():
    """Fixed joints make one body of several; the mobility is complete all the same."""
    assert mobility(ODD["welded chain"]()).complete
    assert not mobility(ODD["welded twice"]()).complete


def test_a_coupling_without_a_slope_is_an_error_in_words():
    """A law that has no derivative in the drawing position is named."""
    joints = [joint("revolute", "A", GROUND, "1"), joint("revolute", "B", "1", "2", (1, 0, 0))]
    m = mechanism(joints, "xy", couplings=(Coupling("root", "B", "sqrt(A)"),))
    with pytest.raises(StructureError, match="root"):
        mobility(m)


def test_a_length_drive_between_coinciding_points_is_an_error_in_words():
    """A length of zero has no direction."""
    joints = [joint("revolute", "A", GROUND, "1"), joint("revolute", "B", "1", "2", (1, 0, 0))]
    drive = LengthDrive("jack", GROUND, (1, 0, 0), "1", (1, 0, 0), "0.1 + t")
    with pytest.raises(KorbaError, match="jack"):
        mobility(mechanism(joints, "xy", drives=(drive,)))


def test_an_elastic_joint_counts_as_the_joint_it_is():
    """Couplings may name the rotor of an elastic joint; its spring is at rest."""
    drive = {"rotor": Rotor(2.0), "elastic": Elastic(10.0)}
    joints = [
        joint("revolute", "A", GROUND, "1", **drive),
        joint("revolute", "B", "1", "2", (1, 0, 0)),
    ]
    m = mechanism(joints, "xy", couplings=(Coupling("c", "B", '2*"A.rotor"'),))
    assert balance(m) == (1, 1, 0, 0)
    stiff = mechanism(joints, "xy", couplings=(Coupling("c", "B", '2*"A.twist"'),))
    assert balance(stiff) == (1, 1, 0, 0)
