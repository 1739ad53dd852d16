"""Pictures of joints, drives and forces, drawn from the formulas of the model itself.

Of a joint: one panel for each freedom, with the frame that `at`, `x_axis` and `axis` give on the
parent, the child as it is drawn (filled) and the child after a step in the positive direction
(dashed). So a new joint has a picture as soon as it has a pose. Of a load or a drive: an arm on a
pin with the mark of its kind; a new kind has the arm alone until it gets a mark here.
"""

import numpy as np

from korba.display import Drawing
from korba.model.curve import LawOrCurve
from korba.model.fields import specs_of
from korba.model.joint import Joint
from korba.model.joints.wheel_and_plane import WheelAndPlane
from korba.show.schemes import svg_sheet as svg
from korba.spatial.pose import Pose
from korba.spatial.rotation import rotation_aligning

AXES = {"x": "#dc2626", "y": "#16a34a", "z": "#2563eb"}
PARENT, CHILD, DARK = "#64748b", "#1d4ed8", "#111827"
VIEW = np.array([[0.92, 0.46, 0.0], [-0.26, 0.42, 0.92]])
"""From the three axes of space to the paper; a plane is seen straight on."""
FLAG = np.array([[-0.1, -0.1, 0], [0.9, -0.1, 0], [0.9, 0.35, 0], [0.6, 0.1, 0], [-0.1, 0.1, 0]])
FIN = np.array([[0.35, 0, 0], [0.9, 0, 0], [0.9, 0, 0.3]])
"""The child: a flag along x, bent towards y, with a fin towards z."""
STROKE = "stroke='#b45309' stroke-width='2' fill='none'"
PANEL = (230.0, 230.0)
STEP = {"angle": 0.6, "length": 0.4}


def joint_picture(joint: Joint) -> Drawing:
    """A panel for every freedom, or one for a joint that has none."""
    steps = list(_steps(joint)) or [("no freedom", np.asarray(joint.drawn_coordinates))]
    width, height = PANEL
    body: list[str] = []
    for i, (name, q) in enumerate(steps):
        inside = "".join(_joint_panel(joint, q, name))
        body.append(
            f"<g transform='translate({i % 3 * width:.0f},{i // 3 * height:.0f})'>{inside}</g>"
        )
    columns, rows = min(3, len(steps)), -(-len(steps) // 3)
    return svg.picture(f"{joint.type} joint", width * columns, height * rows, body)


def _steps(joint: Joint):
    """Name of every freedom, and the coordinates after a step of it."""
    q = np.asarray(joint.drawn_coordinates, dtype=float)
    for k, name in enumerate(joint.velocity_names):
        v = np.eye(joint.nv)[k] * STEP[joint.velocity_kinds[k]]
        moved = q
        for _ in range(20):  # small steps, for quaternions
            moved = joint.normalised(moved + np.asarray(joint.qdot(moved, v)) / 20)
        named = joint.coordinate_names[k] if joint.rates_are_velocities else name
        yield named, moved


def _joint_panel(joint: Joint, q, name: str):
    """The parent's frame, the child as drawn and moved, and the name of the freedom."""
    along = (1, 0, 0) if joint.planar and joint.axis_in_plane else (0, 0, 1)
    axis, x_axis = joint.drawn_axes
    R = rotation_aligning(axis or along, x_axis)
    X_WJ = Pose(R, np.zeros(3))
    X_WF = X_WJ @ joint.parent_anchor()
    drawn = X_WF @ joint.pose(np.asarray(joint.drawn_coordinates, dtype=float))
    moved = X_WF @ joint.pose(q)
    look = _look(joint)
    size = joint_outline(joint)
    yield _outline(look, X_WF, size["parent"], PARENT, " style='fill:#e2e8f0'")
    if name != "no freedom":
        yield _outline(look, moved, size["child"], CHILD, " stroke-dasharray='5 4'")
    yield _outline(look, drawn, size["child"], CHILD, " style='fill:#dbeafe;fill-opacity:0.75'")
    yield from _axes(look, X_WJ)
    for X in (moved, drawn) if joint.between_points else ():
        yield svg.line(look(X_WF.p), look(X.p), DARK, 2.5)
    yield _dot(look(X_WJ.p), "at")
    start, end = (look(X.point(size["child"][1])) for X in (drawn, moved))
    if np.linalg.norm(end - start) > 8:
        yield _arrow(start, end, "#b45309")
    yield svg.words((12, 20), f"+ {name}" if name != "no freedom" else name, "#b45309", 14)


def _look(joint: Joint):
    """From the drawing to pixels of a panel."""
    flat = joint.planar and (joint.axis_in_plane or not joint.spatial)
    view = np.eye(3)[:2] if flat else VIEW
    middle, scale = np.array([88.0, 132.0]), 82.0 if joint.wheels else 100.0
    return lambda p: middle + scale * (view @ np.asarray(p, dtype=float)) * [1, -1]


def joint_outline(joint: Joint) -> dict[str, np.ndarray]:
    """Points of both bodies about F and M: wheels are circles, cams profiles, others flags."""
    turn = np.linspace(0, 2 * np.pi, 49)
    circle = np.array([np.cos(turn), np.sin(turn), 0 * turn]).T
    flag = np.array(
        [[-0.1, -0.1, 0], [0.9, -0.1, 0], [0.9, 0.35, 0], [0.6, 0.1, 0], [-0.1, 0.1, 0]]
    )
    block = np.array([[-0.35, -0.3, 0], [0.35, -0.3, 0], [0.35, -0.55, 0], [-0.35, -0.55, 0]])
    if joint.axis_in_plane and joint.planar:  # its axis z lies in the plane, x is the normal
        flag, block = flag[:, [2, 1, 0]] * [1, -1, 1], block[:, [2, 1, 0]] * [1, -1, 1]
    sizes = {"parent": block, "child": 0.6 * flag if joint.between_points else flag}
    for side in joint.wheels:
        radius = getattr(joint, f"{side}_radius", None) or getattr(joint, "radius", 0.3)
        sizes[side] = radius * np.vstack([circle, [[0, 0, 0]]])
    if "child" in joint.wheels and "parent" not in joint.wheels:
        sizes["parent"] = np.array([[0, -1, 0], [0, 1, 0], [-0.2, 1, 0], [-0.2, -1, 0.0]])
    if isinstance(joint, WheelAndPlane):
        sizes["child"] = (joint.radius + joint.tyre) * np.vstack([circle, [[0, 0, 0]]])
    laws = [key for key, spec in specs_of(type(joint)).items() if isinstance(spec, LawOrCurve)]
    curved = ("parent", "child")[: sum(getattr(joint, key) is not None for key in laws)]
    return sizes | {side: curve for side, curve in joint.outlines() if side in curved}


def _outline(look, X: Pose, points, color: str, more: str) -> str:
    """A body; of a flag in space the fin too, so that turns about its length are seen."""
    corners = [look(X.point(p)) for p in points]
    drawn = svg.polygon(corners, "none", f" stroke='{color}' stroke-width='1.8'{more}")
    if len(points) == len(FLAG) and not np.allclose(look((0, 0, 1.0)), look((0, 0, 0.0))):
        fin = [look(X.point(p)) for p in FIN]
        drawn += svg.polygon(fin, "none", f" stroke='{color}' stroke-width='1.2'{more}")
    return drawn


def _axes(look, X: Pose):
    """The joint's axes, with their names; one that is seen end on is left out."""
    for k, (name, color) in enumerate(AXES.items()):
        start, end = look(X.p), look(X.point(np.eye(3)[k] * 0.62))
        if np.linalg.norm(end - start) > 6:
            yield _arrow(start, end, color)
            yield svg.words(end + 6 * (end - start) / np.linalg.norm(end - start), name, color, 13)


def beside(p, x: float, y: float):
    """A place in pixels, right of and below another."""
    return np.array([p[0] + x, p[1] + y])


def _arrow(p, q, color: str) -> str:
    u = (q - p) / np.linalg.norm(q - p)
    n = np.array([-u[1], u[0]])
    head = (q, q - 8 * u + 3 * n, q - 8 * u - 3 * n)
    return svg.line(p, q - 6 * u, color, 1.8) + svg.polygon(head, color)


def _dot(p, text: str) -> str:
    mark = f"<circle cx='{p[0]:.1f}' cy='{p[1]:.1f}' r='3.5' fill='{DARK}'/>"
    return mark + svg.words(p + np.array([-22, 16]), text, DARK, 13)


PIN, TIP, BASE = np.array([60.0, 150.0]), np.array([190.0, 75.0]), np.array([215.0, 170.0])
"""Places in the picture of a load or a drive, in pixels."""


def load_picture(kind: str, section: str) -> Drawing:
    """An arm on a pin, and the mark of a kind of load or drive."""
    ground = "<path d='M35,172 h50 m-44,0 l-6,8 m16,-8 l-6,8 m16,-8 l-6,8 m16,-8 l-6,8' "
    body = [
        f"{ground}stroke='{PARENT}' stroke-width='1.6' fill='none'/>",
        svg.polygon(
            [PIN, beside(PIN, -14, 22), beside(PIN, 14, 22)], "#e2e8f0", f" stroke='{PARENT}'"
        ),
        svg.line(PIN, TIP, CHILD, 9, " stroke-linecap='round' stroke-opacity='0.45'"),
        f"<circle cx='{PIN[0]}' cy='{PIN[1]}' r='5' fill='white' stroke='{DARK}'/>",
    ]
    return svg.picture(f"{kind} {section}", 260, 210, [*body, *MARKS.get((section, kind), list)()])


def _turning(text: str, centre=PIN, radius: float = 34.0):
    """An arc that turns anticlockwise, which is positive."""
    ends = [centre + radius * np.array([np.cos(a), -np.sin(a)]) for a in (0.9, 2.6)]
    (x0, y0), (x1, y1) = ends
    arc = f"M{x0:.1f},{y0:.1f} A{radius},{radius} 0 0 0 {x1:.1f},{y1:.1f}"
    yield f"<path d='{arc}' {STROKE}/>"
    tangent = np.array([-np.sin(2.6), -np.cos(2.6)])
    yield _arrow(ends[1] - 9 * tangent, ends[1] + 3 * tangent, "#b45309")
    yield svg.words(beside(centre, -46, -44), text, "#b45309", 14)


def _spring():
    s = np.linspace(0, 1, 13)
    u = TIP - BASE
    n = np.array([-u[1], u[0]]) / np.linalg.norm(u)
    points = [BASE + t * u + 7 * n * (0 if i in (0, 12) else (-1) ** i) for i, t in enumerate(s)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    yield f"<polyline points='{path}' stroke='#b45309' stroke-width='2' fill='none'/>"
    yield from _ends()


def _series():
    middle = (2 * BASE + 3 * TIP) / 5
    s = np.linspace(0, 1, 11)
    n = np.array([middle[1] - TIP[1], TIP[0] - middle[0]]) / np.linalg.norm(middle - TIP)
    zigzag = [
        middle + t * (TIP - middle) + 7 * n * (0 if k in (0, 10) else (-1) ** k)
        for k, t in enumerate(s)
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in zigzag)
    yield f"<polyline points='{path}' stroke='#b45309' stroke-width='2' fill='none'/>"
    u = (middle - BASE) / np.linalg.norm(middle - BASE)
    low, high = BASE + 14 * u, BASE + 30 * u
    yield svg.line(BASE, low, "#b45309", 2) + svg.line(BASE + 24 * u, middle, "#b45309", 2)
    pot = [high + 7 * n, low + 7 * n, low - 7 * n, high - 7 * n]
    pot = " ".join(f"{x:.1f},{y:.1f}" for x, y in pot)
    yield f"<polyline points='{pot}' stroke='#b45309' stroke-width='2' fill='none'/>"
    yield svg.line(BASE + 24 * u + 5 * n, BASE + 24 * u - 5 * n, "#b45309", 3)
    yield from _ends()


def _bushing():
    yield f"<circle cx='{TIP[0]}' cy='{TIP[1]}' r='16' fill='#fde68a' stroke='#b45309'/>"
    yield f"<circle cx='{TIP[0]}' cy='{TIP[1]}' r='6' fill='white' stroke='{DARK}'/>"
    yield _dot(beside(TIP, 18, 14), "at_b")
    yield svg.words((60, 30), "6 x 6: turns, shifts", "#b45309", 13)


def _ends():
    yield _dot(TIP, "at_a") + _dot(BASE, "at_b")


def _length():
    yield svg.line(BASE, TIP, "#b45309", 2, " stroke-dasharray='6 4'")
    yield svg.words(beside((BASE + TIP) / 2, -68, 12), "length(t)", "#b45309", 14)
    yield from _ends()


def _block(text):
    """A block that reads the arm and gives a value by its name."""
    yield f"<rect x='112' y='20' width='70' height='34' rx='4' {STROKE}/>"
    yield svg.words((121, 42), text, "#b45309", 14)
    yield f"<path d='M{PIN[0]},{PIN[1] - 14} V37 H100' {STROKE} stroke-dasharray='5 4'/>"
    for start, end in ((100, 112), (182, 222)):
        yield _arrow(np.array([start, 37.0]), np.array([end, 37.0]), "#b45309")
    yield svg.words((66, 84), "q, v, t", "#b45309", 14) + svg.words((226, 42), "it", "#b45309", 14)


def _sensor():
    yield svg.line(BASE, TIP, "#b45309", 1.5, " stroke-dasharray='3 3'")
    yield svg.words(beside((BASE + TIP) / 2, -86, 14), "it, and v_it", "#b45309", 14)
    yield _dot(TIP, "at") + _dot(BASE, "from_at")


def _point_force():
    yield _arrow(TIP, beside(TIP, 48, 40), "#b45309")
    yield svg.words(beside(TIP, 30, 60), "force", "#b45309", 14) + _dot(TIP, "at")


def _point_drive():
    yield f"<path d='M120,40 Q190,20 235,80' {STROKE} stroke-dasharray='6 4'/>"
    yield svg.words((196, 40), "x(t), y(t)", "#b45309", 14) + _dot(TIP, "at")


def _body_drive():
    for end, name in ((beside(PIN, 64, -37), "x"), (beside(PIN, -18, -32), "y")):
        yield _arrow(PIN, end, AXES[name]) + svg.words(beside(end, 2, -5), name, AXES[name], 13)
    yield svg.words((12, 203), "frame of the body: x(t), y(t), angle(t)", "#b45309", 12)


MARKS = {
    ("force", "joint"): lambda: _turning("tau > 0"),
    ("force", "motor"): lambda: _turning("motor: tau > 0"),
    ("force", "controller"): lambda: _block("law"),
    ("force", "pid"): lambda: _block("p, i, d"),
    ("force", "sensor"): _sensor,
    ("force", "moment"): lambda: _turning("moment > 0", (PIN + TIP) / 2),
    ("force", "point"): _point_force,
    ("force", "bushing"): _bushing,
    ("force", "rope"): lambda: [svg.line(BASE, TIP, "#b45309", 1.5), *_ends()],
    ("force", "series-spring"): _series,
    ("force", "spring"): _spring,
    ("drive", "joint"): lambda: _turning("position(t)"),
    ("drive", "length"): _length,
    ("drive", "point"): _point_drive,
    ("drive", "body"): _body_drive,
}
