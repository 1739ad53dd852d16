"""Questions of the drawing board at a position of the crank are those at its time of the motion."""

import inspect

import numpy as np
import pytest

import korba as kb

ASKED = sorted(
    name
    for name in kb.course.__all__
    if inspect.isfunction(question := getattr(kb.course, name))
    and [*inspect.signature(question).parameters][:2] == ["source", "at"]
)
"""All questions that take a motion and an index, or a mechanism and a position."""
PLACES = {"equivalent_linkage"}
"""Those of places alone: the linkage that is drawn there keeps the time of its drives."""
LINKAGES = {
    "four-bar": lambda: kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm"),
    "slider-crank": lambda: kb.linkages.slider_crank("40 mm", "120 mm", "10 mm"),
    "quick return": lambda: kb.linkages.quick_return("50 mm", "100 mm", "250 mm", "100 mm"),
}


def test_all_of_them_are_found():
    """The plans, the forces, the lever, the centres and the groups take positions."""
    assert ASKED == [
        "acceleration_plan",
        "equivalent_linkage",
        "force_plan",
        "groupwise_motion",
        "instant_centres",
        "lever",
        "velocity_plan",
    ]


@pytest.mark.parametrize("name", [name for name in ASKED if name not in PLACES])
@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("angle", [60, -100])
def test_a_position_is_a_time_of_the_motion(name, linkage, angle):
    """At 60 rpm from `at` on, the crank is at an angle after (angle - at)/360 s."""
    m, ask = LINKAGES[linkage](), getattr(kb.course, name)
    t = (angle - 30) % 360 / 360
    motion = kb.motion(m, np.linspace(0, t, 30))
    crank = motion.coordinates[0]
    assert motion[crank][-1] % (2 * np.pi) == pytest.approx(np.deg2rad(angle) % (2 * np.pi))
    one, other = ask(m, {crank: f"{angle} deg"}), ask(motion, -1)
    assert _numbers(one) == pytest.approx(_numbers(other), rel=1e-9, abs=1e-9)


def _numbers(answer):
    """All numbers that an answer prints, but for those of rounding."""
    words = str(answer).replace("(", " ").replace(")", " ").replace(",", " ").split()
    values = []
    for word in words:
        try:
            values.append(float(word))
        except ValueError:
            continue
    return values


def test_what_has_no_speed_is_told():
    """Without a drive, or with one whose speed changes, the way out is named."""
    m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
    still = kb.loads(kb.dumps(m).split("[[drive]]")[0])
    with pytest.raises(kb.StructureError, match=r"velocity_plan: .* has no drive.*JointDrive"):
        kb.course.velocity_plan(still, {"A": "60 deg"})
    swung = kb.loads(kb.dumps(m).replace("+ speed*t", "+ 0.1*sin(speed*t)"))
    with pytest.raises(kb.StructureError, match=r"lever: .*changes its speed.*give a motion"):
        kb.course.lever(swung, {"A": "60 deg"})
    both = kb.linkages.five_bar("100 mm", "200 mm", "200 mm", "100 mm", "100 mm")
    with pytest.raises(kb.StructureError, match="force_plan: "):
        kb.course.force_plan(both, {"A": "100 deg"})


def test_plans_are_told_in_the_units_of_the_file():
    """Of a mechanism in mm and rpm: mm/s, mm/s^2, rpm, N, N m; the same numbers as its arrays."""
    m = kb.linkages.slider_crank("40 mm", "120 mm")
    at = {"A": "60 deg"}
    plan = kb.course.velocity_plan(m, at)
    size = float(np.linalg.norm(plan["v_B"]))
    assert "[mm/s]" in str(plan) and f"{1000 * size:.6g}" in str(plan) and " rpm " in str(plan)
    assert "mm/s</text>" in plan.draw() and " m/s" not in plan.draw()
    assert "[mm/s^2]" in str(kb.course.acceleration_plan(m, at))
    centres = kb.course.instant_centres(m, at)
    x = 1000 * float(centres["ground", "rod"].point[0])
    assert "centre [mm]" in str(centres) and f"({x:.6g}," in str(centres)
    lever = kb.course.lever(m, at)
    assert "arm [mm]" in str(lever) and lever.told.endswith(" N m")
