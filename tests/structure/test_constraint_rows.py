"""Constraint rows against real motion: closed mechanisms, couplings and drives."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from korba.errors import ModelError
from korba.expr import variable
from korba.model.body import Body
from korba.model.coupling import Coupling
from korba.model.drives.body_drive import BodyDrive
from korba.model.drives.joint_drive import JointDrive
from korba.model.drives.length_drive import LengthDrive
from korba.model.drives.point_drive import PointDrive
from korba.model.frame import Frame
from korba.model.joint import Joint
from korba.model.joints import JOINT_TYPES
from korba.model.mechanism import Mechanism
from korba.positions.rank import least_solution
from korba.spatial.rotation import rotation_about, rotation_vector
from korba.structure.finite import closed, stepped_along
from korba.structure.placement import drawn_placement

EPS = np.finfo(float).eps
SEEDS = range(10)
R, T, SLOT, GEAR = (JOINT_TYPES[n] for n in ("revolute", "prismatic", "pin-in-slot", "gear-mesh"))
PARAMETERS = {
    "ball-on-plane": {"radius": 0.2},
    "rolling-ball": {"radius": 0.2},
    "rolling-wheel": {"radius": 0.3},
    "omni-wheel": {"radius": 0.3},
    "rod": {"length": 0.7},
    "wheel-on-plane": {"radius": 0.3},
    "screw": {"lead": 0.5},
    "cam-roller": {"profile": "0.5 + 0.1*cos(beta)", "radius": 0.1},
    "cam-flat": {"profile": "0.5 + 0.1*cos(beta)"},
    "curved-slot": {"x": "s", "y": "0.2*sin(2*s)"},
    "curve-contact": {"profile": "0.5 + 0.1*cos(beta)", "child_profile": "0.4 + 0.05*cos(gamma)"},
    "curve-rolling": {"profile": "0.5 + 0.1*cos(beta)", "child_profile": "0.4 + 0.05*cos(gamma)"},
    "geneva": {"radius": 0.3},
    "gear-mesh": {"parent_radius": 0.5, "child_radius": 0.3},
    "gear-line-contact": {"parent_radius": 0.5, "child_radius": 0.3},
    "gear-point-contact": {"parent_radius": 0.5, "child_radius": 0.3},
    "gear-bevel": {"parent_radius": 0.5, "child_radius": 0.3},
    "gear-rack": {"radius": 0.3},
}
both = pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])


def joint(rng, cls, name, ends, planar):
    """A joint of the class, drawn anywhere."""
    at = (*rng.uniform(-1, 1, size=2), 0.0 if planar else rng.uniform(-1, 1))
    axis = rng.normal(size=3)
    if planar:
        axis = (*axis[:2], 0.0) if cls.axis_in_plane else None
    drawn = None
    if not cls.type.startswith("gear"):
        drawn = rng.uniform(-0.5, 0.5, size=len(cls.coordinate_names))
    return cls(name, *ends, at, axis, drawn=drawn, **PARAMETERS.get(cls.type, {}))


def closed_chain(seed, planar):
    """Links in a row from the base back to the base, with one or two freedoms to spare."""
    for attempt in range(20):
        try:
            return chain_at_random(np.random.default_rng([seed, attempt]), seed, planar)
        except ModelError as error:  # wheels beside their axes are a fault: draw others
            assert "does not sit on its axis" in str(error)
    raise AssertionError("no chain without such wheels")


def chain_at_random(rng, seed, planar):
    """One of them."""
    types = [c.kind_in(planar) for c in JOINT_TYPES.values() if (c.planar if planar else c.spatial)]
    types = [c for c in types if 0 < len(c.velocity_names) < (3 if planar else 6)]
    types = [c for c in types if not c.shaped]  # whose shafts must have their distance
    types = [c for c in types if c.slipping is Joint.slipping]  # whose rows are those of places
    wanted, chosen = (3 if planar else 6) + 1 + seed % 2, []
    while sum(len(c.velocity_names) for c in chosen) < wanted or len(chosen) < 3:
        chosen.append(types[int(rng.integers(len(types)))])
    names = ["ground", *(f"b{i}" for i in range(len(chosen) - 1)), "ground"]
    bodies = [
        Body(name, frame=Frame(rng.normal(size=2 if planar else 3), rng.uniform(-3, 3)))
        for name in names[1:-1]
    ]
    joints = [joint(rng, cls, f"J{i}", names[i : i + 2], planar) for i, cls in enumerate(chosen)]
    return Mechanism(bodies=bodies, joints=joints, plane="xy" if planar else None)


def null_space(A):
    A = np.asarray(A)
    _, s, Vt = np.linalg.svd(A)
    return Vt[int(np.sum(s > 1e-9 * s[0])) :]


def null_motion(place, seed):
    """A random twist of all bodies that the constraints allow, of length 1."""
    basis = null_space(place.matrix())
    direction = np.random.default_rng(seed).normal(size=len(basis)) @ basis
    return direction / np.linalg.norm(direction)


def largest_gap(place):
    gaps = [np.abs(gap).max(initial=0.0) for gap in place.gaps]
    return max([*gaps, *np.abs(coupling_gaps(place))])


def coupling_gaps(place):
    return [residual for _, _, residual, _ in place.couplings]


def four_bar(**changes):
    """Crank 1, coupler 3, rocker 2.5, base 3, at 60 degrees; the coupler's frame is turned."""
    B = np.array([np.cos(np.pi / 3), np.sin(np.pi / 3)])
    to_D = np.array([3.0, 0]) - B
    d = np.linalg.norm(to_D)
    along = (9 - 6.25 + d * d) / (2 * d)
    C = B + along * to_D / d + np.sqrt(9 - along**2) * np.array([-to_D[1], to_D[0]]) / d
    coupler = Body("coupler", frame=Frame((0.3, -0.2), 0.7))
    given = {
        "plane": "xy",
        "bodies": [Body("crank"), coupler, Body("rocker", frame=Frame((3, 0), 0.2))],
        "joints": [
            R("A", "ground", "crank", at=(0, 0)),
            R("B", "crank", "coupler", at=B),
            R("C", "coupler", "rocker", at=C),
            R("D", "ground", "rocker", at=(3, 0)),
        ],
    }
    return Mechanism(**(given | changes))


def slider_crank(plane):
    """Crank, rod and a slider on the x axis; in space the same with axes along z."""
    joints = [
        R("A", "ground", "crank", at=(0, 0)),
        R("B", "crank", "rod", at=(0.6, 0.8)),
        R("C", "rod", "slider", at=(2.5, 0)),
        T("D", "ground", "slider", at=(2.5, 0), axis=(1, 0)),
    ]
    bodies = [Body(name) for name in ("crank", "rod", "slider")]
    return Mechanism(plane=plane, bodies=bodies, joints=joints)


@pytest.mark.parametrize("seed", SEEDS)
@both
def test_allowed_twists_keep_loops_closed_to_second_order(seed, planar):
    """Along a null vector of the rows the gaps are of the order h^2; along others of h."""
    place = drawn_placement(closed_chain(seed, planar))
    assert largest_gap(place) < 1e-13
    V = null_motion(place, seed)
    assert np.abs(place.matrix() @ V).max() < 1e-12
    gaps = [largest_gap(stepped_along(place, h * V)) for h in (1e-3, 1e-4)]
    assert gaps[1] < gaps[0] / 50 + 1e-13
    other = np.random.default_rng(seed).normal(size=len(V))
    gaps = [largest_gap(stepped_along(place, h * other)) for h in (1e-4, 1e-5)]
    assert gaps[1] > gaps[0] / 20


@pytest.mark.parametrize("seed", SEEDS)
@both
def test_real_motion_satisfies_the_rows(seed, planar):
    """Twists taken from differences of closed positions are annihilated by the rows."""
    place = drawn_placement(closed_chain(seed, planar))
    h = 1e-4
    V = null_motion(place, seed)
    ahead = closed(stepped_along(place, h * V))
    behind = closed(stepped_along(place, -h * V))
    twists = []
    for b in range(1, len(place.graph.bodies)):
        w = rotation_vector(ahead.X_WB[b].R @ behind.X_WB[b].R.T)
        point = place.X_WB[b].inverse().point(place.reference[b])
        v = (ahead.X_WB[b].point(point) - behind.X_WB[b].point(point)) / place.scale
        twists.append(np.concatenate([w, v])[list(place.space)] / (2 * h))
    found = np.concatenate(twists)
    assert np.linalg.norm(found) > 0.5
    size = 1 + np.abs(place.matrix()).max()
    assert np.abs(place.matrix() @ found).max() < size * 1e-12 / h + 1e3 * h * h


@pytest.mark.parametrize("seed", SEEDS)
@both
def test_closed_takes_the_gaps_out(seed, planar):
    """A mechanism pulled apart a little comes back with no gap, near where it was."""
    place = drawn_placement(closed_chain(seed, planar))
    apart = stepped_along(
        place, 1e-2 * np.random.default_rng(seed).normal(size=place.matrix().shape[1])
    )
    assert largest_gap(apart) > 1e-4
    back = closed(apart)
    assert back is not None
    assert largest_gap(back) < 1e-12
    for before, after in zip(place.X_WB, back.X_WB, strict=True):
        assert_allclose(after.R @ after.R.T, np.eye(3), rtol=0, atol=100 * EPS)
        assert np.abs(after.matrix() - before.matrix()).max() < 1.0


def test_closed_leaves_a_closed_position_alone():
    """Where nothing gapes nothing moves, in an empty mechanism too."""
    for m in (four_bar(), Mechanism(), Mechanism(plane="xy")):
        place = drawn_placement(m)
        assert closed(place) is place


@pytest.mark.parametrize("wanted", [0.05, -0.1])
def test_closed_holds_a_coordinate(wanted):
    """A held coordinate takes its value and the loop is closed around it."""
    back = closed(drawn_placement(four_bar()), held={"A": wanted})
    assert back is not None
    assert largest_gap(back) < 1e-12
    assert_allclose(back.values["A"], wanted, rtol=0, atol=1e-12)
    assert_allclose(rotation_vector(back.X_WB[1].R), [0, 0, wanted], rtol=0, atol=1e-11)


def test_closed_gives_up_on_a_bar_that_is_too_short():
    """A loop that cannot close has no position."""
    place = drawn_placement(four_bar())
    ties, X = list(place.ties), place.ties[2].X_LM
    ties[2] = replace(ties[2], X_LM=replace(X, p=X.p + np.array([9.0, 0, 0])))
    assert closed(replace(place, ties=tuple(ties))) is None


@pytest.mark.parametrize(
    ("m", "mobility"),
    [
        (four_bar(), 1),
        (slider_crank("xy"), 1),
        (slider_crank(None), 1),
        (four_bar(joints=four_bar().joints[:3]), 3),
    ],
)
def test_null_space_is_the_mobility(m, mobility):
    """s k - rank A counts the freedoms; every row has an owner."""
    place = drawn_placement(m)
    A = place.matrix()
    assert A.shape == (len(place.owners), place.size * len(m.bodies))
    assert len(null_space(A)) == mobility
    assert set(place.owners) == {j.name for j in m.joints}


def test_four_bar_turns_as_its_closed_form():
    """The rocker's angle after a real turn of the crank obeys the circle equations."""
    place = drawn_placement(four_bar())
    for _ in range(20):
        V = null_motion(place, 0)
        V = V * 0.05 / V[0]  # crank by 0.05 rad
        place = closed(stepped_along(place, V))
    C = place.X_WM[2].p
    assert_allclose(np.linalg.norm(place.X_WM[1].p), 1, rtol=1e-11)
    assert_allclose(np.linalg.norm(C - place.X_WM[1].p), 3, rtol=1e-11)
    assert_allclose(np.linalg.norm(C - [3, 0, 0]), 2.5, rtol=1e-11)
    turned = rotation_vector(place.X_WB[1].R)[2]
    assert_allclose(turned, 1.0, rtol=0, atol=0.05)  # 20 steps of 0.05, each off to second order
    assert_allclose(place.q[0], [turned], rtol=0, atol=1e-11)


@pytest.mark.parametrize("law", ["2*A + 0.1", "sin(A)", "A^2 + 0.3*t"])
def test_coupling_rows_hold_the_law(law):
    """Along a null vector p - F(q) stays 0 to second order, and `closed` brings it to 0."""
    bodies = [Body("a"), Body("b")]
    joints = [
        R("A", "ground", "a", on_parent=Frame(), drawn=0.4),
        T("B", "a", "b", on_parent=Frame((1, 0)), axis=(1, 0)),
    ]
    coupling = Coupling("c", "B", law)
    m = Mechanism(plane="xy", bodies=bodies, joints=joints, couplings=[coupling])
    place = drawn_placement(m)
    assert place.owners[-1] == "c"
    assert len(null_space(place.matrix())) == 1
    V = null_motion(place, 1)
    misses = [np.abs(coupling_gaps(stepped_along(place, h * V)))[0] for h in (1e-2, 1e-3)]
    assert misses[1] < misses[0] / 50 + 1e-14
    back = closed(stepped_along(place, 1e-2 * np.ones(6)))
    values = back.values
    assert largest_gap(back) < 1e-12
    assert values["t"] == 0.0


def test_gear_rows_meet_2_92():
    """(wj - wm) rj + (wk - wm) rk = 0 for every motion of two wheels on a carrier."""
    joints = [
        R("M", "ground", "m", at=(0, 0)),
        R("J", "ground", "j", at=(0, 0)),
        R("K", "m", "k", at=(0.6, 0)),
        GEAR("Z", "j", "k", at=(0.2, 0), x_axis=(1, 0), parent_radius=0.2, child_radius=0.4),
    ]
    m = Mechanism(plane="xy", bodies=[Body("m"), Body("j"), Body("k")], joints=joints)
    basis = null_space(drawn_placement(m).matrix())
    assert len(basis) == 2
    wm, wj, wk = basis[:, 0], basis[:, 3], basis[:, 6]
    assert_allclose((wj - wm) * 0.2 + (wk - wm) * 0.4, 0, rtol=0, atol=1e-13)


DRIVES = [
    (four_bar(), JointDrive("d", "C", "t"), lambda p: [angle_of(p, 2)]),
    (slider_crank("xy"), JointDrive("d", "D", "t"), lambda p: [stroke_of(p, 3)]),
    (slider_crank(None), JointDrive("d", "B", "t"), lambda p: [angle_of(p, 1)]),
    (slider_crank(None), JointDrive("d", "D", "t"), lambda p: [stroke_of(p, 3)]),
    (four_bar(), BodyDrive("d", "coupler", x="t", y="t"), lambda p: p.X_WB[2].p[:2]),
    (
        four_bar(),
        BodyDrive("d", "coupler", "rocker", y="t", angle="t"),
        lambda p: [(p.X_WB[2].p - p.X_WB[3].p)[1], turn_of(p, 2) - turn_of(p, 3)],
    ),
    (four_bar(), BodyDrive("d", "crank", angle="t"), lambda p: [turn_of(p, 1)]),
    (
        slider_crank(None),
        BodyDrive("d", "rod", "crank", x="t", z="t", angle="t"),
        lambda p: [*(p.X_WB[2].p - p.X_WB[1].p)[[0, 2]], turn_of(p, 2) - turn_of(p, 1)],
    ),
    (
        four_bar(),
        LengthDrive("d", "coupler", (0.4, 0.1), "ground", (1, -1), "1 + t"),
        lambda p: [np.linalg.norm(p.X_WB[2].point((0.4, 0.1, 0)) - [1, -1, 0])],
    ),
    (
        slider_crank(None),
        LengthDrive("d", "crank", (0.4, 0.1, 1), "rod", (1, -1, 0.5), "1 + t"),
        lambda p: [np.linalg.norm(p.X_WB[1].point((0.4, 0.1, 1)) - p.X_WB[2].point((1, -1, 0.5)))],
    ),
    (
        four_bar(),
        PointDrive("d", "coupler", (0.5, 0.2), x="t", y="t"),
        lambda p: p.X_WB[2].point((0.5, 0.2, 0))[:2],
    ),
    (
        slider_crank(None),
        PointDrive("d", "rod", (0.5, 0.2, 0.1), z="t", y="t"),
        lambda p: p.X_WB[2].point((0.5, 0.2, 0.1))[1:],
    ),
]


def relative_pose(place, j):
    X_WF = place.X_WB[place.graph.ends[j][0]] @ place.ties[j].X_LF
    return X_WF.inverse() @ place.X_WM[j]


def angle_of(place, j):
    X = relative_pose(place, j)
    return np.arctan2(X.R[1, 0], X.R[0, 0])


def stroke_of(place, j):
    return relative_pose(place, j).p[2]


def turn_of(place, body):
    return np.arctan2(place.X_WB[body].R[1, 0], place.X_WB[body].R[0, 0])


@pytest.mark.parametrize(("m", "drive", "quantity"), DRIVES)
def test_drive_rows_are_rates_of_what_is_driven(m, drive, quantity):
    """Rows times twists are the rate of the driven quantity along an allowed motion."""
    place = drawn_placement(m)
    h = 1e-5
    V = null_motion(place, 3)
    columns = drive.rows(place, variable("t")).columns
    rows = place.matrix([("d", place.over_bodies(columns))])
    scaled = place.matrix(place.drive_rows([drive]))
    assert rows.shape[0] == drive.count
    sizes = [np.linalg.norm(each, axis=1, keepdims=True) for each in (rows, scaled)]
    assert_allclose(scaled / sizes[1], rows / sizes[0], rtol=0, atol=10 * EPS)
    ahead, behind = (np.array(quantity(stepped_along(place, s * h * V))) for s in (1, -1))
    rate = (ahead - behind) / (2 * h)
    assert_allclose(rows @ V, rate, rtol=0, atol=100 * (EPS / h + h**2))


def test_driven_four_bar_cannot_move():
    """With the crank held nothing is free; the drive's row is the one missing."""
    m = four_bar(drives=[JointDrive("d", "A", "t")])
    place = drawn_placement(m)
    rows = [*place.rows, *place.drive_rows(m.drives)]
    assert rows[-1][0] == "d"
    assert len(null_space(place.matrix(rows))) == 0


def test_rate_row_of_an_unknown_coordinate():
    """Only coordinates of the mechanism have a rate."""
    with pytest.raises(KeyError):
        drawn_placement(four_bar()).rate_row("X")


@pytest.mark.parametrize("angle", [0.0, 1e-14, 1e-7, 0.3, 3.0, np.pi - 1e-6, np.pi])
def test_rotation_vector_undoes_rodrigues(angle):
    """Axis times angle comes back, at a half turn up to the sign of the axis."""
    for axis in np.vstack([np.eye(3), [0.6, 0, -0.8], [-2 / 3, 1 / 3, 2 / 3]]):
        R_AB = rotation_about(axis, angle)
        found = rotation_vector(R_AB)
        assert_allclose(np.linalg.norm(found), angle, rtol=0, atol=1e-9)
        length = np.linalg.norm(found)
        again = rotation_about(found / length, length) if length else np.eye(3)
        assert_allclose(again, R_AB, rtol=0, atol=1e-9)


def test_a_step_turns_bodies_and_shifts_their_origins():
    """A twist turns a body by its length, and shifts its origin by the origin's velocity."""
    place = drawn_placement(four_bar())
    after = stepped_along(place, np.array([0, 0, 0, 0.5, 0.1, 0.2, 0, 0, 0]))
    turned = rotation_vector(after.X_WB[2].R @ place.X_WB[2].R.T)
    assert_allclose(turned, [0, 0, 0.5], rtol=0, atol=10 * EPS)
    shift = after.X_WB[2].p - place.X_WB[2].p
    v = np.cross([0, 0, 0.5], place.X_WB[2].p - place.reference[2])
    assert_allclose(shift, v + place.scale * np.array([0.1, 0.2, 0]), rtol=0, atol=10 * EPS)


def test_a_long_loop_closes_like_a_short_one():
    """150 links in a ring, pulled apart, close by the sparse solver as small rings do."""
    count = 150
    angles = 2 * np.pi * np.arange(count) / count
    names = ["ground", *(f"b{i}" for i in range(count - 1)), "ground"]
    joints = [
        R(f"J{i}", names[i], names[i + 1], at=(np.cos(a), np.sin(a))) for i, a in enumerate(angles)
    ]
    m = Mechanism(plane="xy", bodies=[Body(n) for n in names[1:-1]], joints=joints)
    place = drawn_placement(m)
    assert place.matrix().shape[1] > 400
    push = 1e-3 * np.random.default_rng(0).normal(size=place.matrix().shape[1])
    back = closed(stepped_along(place, push))
    assert back is not None
    assert largest_gap(back) < 1e-12


@pytest.mark.parametrize("size", [30, 450])
def test_least_solution_is_the_smallest_solution(size):
    """Dense and sparse solvers give the least-squares solution of least length."""
    from scipy import sparse

    rng = np.random.default_rng(size)
    A = sparse.random(size // 2, size, density=0.1, random_state=rng, format="csr")
    A = sparse.vstack([A, A[:5]]).tocsr()  # dependent rows that agree
    b = A @ rng.normal(size=size)
    exact = np.linalg.lstsq(A.toarray(), b, rcond=None)[0]
    x = least_solution(A, b)
    assert_allclose(A @ x, b, rtol=0, atol=1e-9 * np.abs(b).max())
    # the sparse solver adds 1e-13 to the squares of singular values that are above 1e-3
    assert_allclose(x, exact, rtol=0, atol=1e-6 * np.abs(exact).max())
