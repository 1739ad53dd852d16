"""A driven rod that hangs on a spring."""

import korba as kb


def rod_on_spring():
    """One body, one load between it and the base, one drive."""
    return kb.loads("""
    plane = "xy"
    body = [{name = "rod", mass = 1, com = [0.5, 0], inertia = 0.1}]
    joint = [{name = "A", type = "revolute", parent = "ground", child = "rod", at = [0, 0]}]
    drive = [{name = "motor", type = "joint", joint = "A", position = "t"}]
    [[force]]
    name = "s"
    type = "spring"
    body_a = "ground"
    at_a = [0.4, 0.6]
    body_b = "rod"
    at_b = [0.4, 0]
    stiffness = 10
    """)
