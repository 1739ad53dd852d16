"""A slider-crank and an inverted one by the five methods of a course: one
loop, one answer.
"""

import numpy as np

from korba.course import inverted_slider_crank, slider_crank

METHODS = "vector", "complex", "freudenstein", "construction", "newton"
theta = np.radians([60, 150, 240])

# Example 3.1 of Gronowicz's book: AB = 0.1, BC = 0.3 m, 20 rad/s
print(f"{'slider-crank':>14}   x_C [m]                           v_C [m/s]")
for name in METHODS:
    at = slider_crank(0.1, 0.3, theta, omega=20.0, method=name)
    print(f"{name:>14}  {at.s.round(6)}  {at.v_s.round(6)}")
    assert (
        np.abs(at.s - 0.1 * np.cos(theta) - 0.3 * np.cos(at.theta2)).max()
        < 1e-14
    )
    assert np.isclose(at.v_s[0], -2.033562, atol=5e-7)
    assert np.isclose(at.a_s[0], -13.353399, atol=5e-7)

# a quick return: the pin B slides in a guide that turns about D
print(f"{'inverted':>14}   theta_3 [deg]                     omega_3 [rad/s]")
for name in METHODS:
    at = inverted_slider_crank(0.15, 0.4, theta, omega=10.0, method=name)
    print(
        f"{name:>14}  {np.degrees(at.theta3).round(6)}  "
        f"{at.omega[:, 1].round(6)}"
    )
    # B moves with the guide and along it: the parts of its velocity across
    # and along the guide
    assert (
        np.abs(at.v_s**2 + (at.omega[:, 1] * at.s) ** 2 - 1.5**2).max()
        < 1e-12
    )

# it turns back in less time than it goes forth: between the tangents to the
# crank's circle
ends = np.arccos(0.15 / 0.4)
assert np.allclose(
    inverted_slider_crank(0.15, 0.4, [-ends, ends], omega=10.0).omega,
    0,
    atol=1e-12,
)
assert round((np.pi - ends) / ends, 6) == 1.648006
