"""A leg with loops from MuJoCo's format: rods as in Cassie's, balanced,
let fall, written again.
"""

from pathlib import Path

import korba as kb

# A thigh and a shin with leaf springs; a rod from the thigh holds the heel, a
# crank and a plantar rod turn the foot. MuJoCo closes these loops by
# `connect`; here they are ball joints.
TEXT = """
<mujoco model="leg">
  <default><geom type="capsule" size=".02" contype="0" conaffinity="0"/>
    <joint axis="0 1 0" damping=".5"/></default>
  <worldbody><body name="thigh" pos="0 0 1">
    <joint name="hip" stiffness="60"/><geom fromto="0 0 0 .1 0 -.4" mass="4"/>
    <body name="rod" pos="0 .03 -.05">
      <joint name="rod" type="ball" damping=".01"/>
      <geom fromto="0 0 0 -.05 0 -.38" mass=".2"/>
    </body>
    <body name="shin" pos=".1 0 -.4"><joint name="knee" stiffness="80"/>
      <geom fromto="0 0 0 -.05 0 -.06" mass="1"/>
      <body name="tarsus" pos="-.05 0 -.06">
        <joint name="leaf" stiffness="300"/>
        <geom fromto="-.1 0 .03 -.05 0 -.4" mass="1.5"/>
        <body name="crank" pos="-.06 0 -.05">
          <joint name="motor" stiffness="20"/>
          <geom fromto="0 0 0 .05 0 0" mass=".2"/>
          <body name="plantar" pos=".05 0 0"><joint name="plantar"/>
            <geom fromto="0 0 0 .01 0 -.35" mass=".2"/></body></body>
        <body name="foot" pos="-.05 0 -.4"><joint name="toe"/>
          <geom fromto="0 0 0 .05 0 0" mass=".4"/></body>
      </body></body></body></worldbody>
  <equality>
    <connect name="heel" body1="rod" body2="tarsus" anchor="-.05 0 -.38"/>
    <connect name="ankle" body1="plantar" body2="foot" anchor=".01 0 -.35"/>
  </equality>
</mujoco>"""
Path("leg.xml").write_text(TEXT)
leg = kb.read_mjcf("leg.xml")
print(kb.mobility(leg))

# Where springs carry it, and how it swings there.
rest = kb.equilibrium(leg)
print(rest.system)
assert rest.stable
assert rest.residual < 1e-9

# Let go as it is drawn it swings about that position, its loops closed all
# the way.
run = kb.simulate(leg, "2 s", times=101)
print(run)
assert run.audit.residual < 1e-10
assert abs(run["knee"].mean() - rest["knee"]) < 1e-2

# For MuJoCo again, or any program that reads its files.
kb.write_mjcf(leg, "again.xml")
assert (
    kb.mobility(kb.load("again.xml")).actual == kb.mobility(leg).actual == 3
)
