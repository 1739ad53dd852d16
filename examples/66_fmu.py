"""A mechanism as an FMU, run by another program, beside `kb.simulate`."""

from tempfile import TemporaryDirectory

import fmpy
import numpy as np

import korba as kb

m = kb.loads("""
name = "pendulum on a cart"
plane = "xy"
parameters = {rod = "600 mm"}
body = [
  {name="cart", mass=2},
  {name="rod",mass=0.5,com=[0,"-rod/2"],inertia=0.02,points={tip=[0,"-rod"]}},
]
joint = [
{name="x",type="prismatic",parent="ground",child="cart",at=[0,0],axis=[1,0]},
{name="A", type="revolute", parent="cart", child="rod", at=[0, 0]}
]
""")
with TemporaryDirectory() as folder:
    unit = kb.export_fmu(m, f"{folder}/pendulum.fmu", q={"A": "30 deg"})
    start = {"tau_x": 1.5, "rod": 0.8}  # a force, and a longer rod
    run = fmpy.simulate_fmu(
        str(unit.path), stop_time=2, output_interval=0.1, start_values=start
    )

moved = kb.simulate(
    m,
    2,
    q={"A": "30 deg"},
    tau={"x": 1.5},
    parameters={"rod": 0.8},
    times=np.linspace(0, 2, 21),
)
assert np.abs(run["A"] - moved["A"]).max() < 1e-6
assert (
    np.abs(run["rod.tip.x"] - moved["x"] - 0.8 * np.sin(moved["A"])).max()
    < 1e-6
)
