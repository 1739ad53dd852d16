"""A verb inside JAX and CasADi: the energy of a four-bar, differentiated
by them.
"""

import casadi
import jax
import numpy as np

import korba as kb

m = kb.linkages.four_bar(1, 3, 2.5, 3.2)
q, v, lengths = kb.assemble(m).q, np.ones(m.nv), np.array([1.0, 3.0])

# JAX: grad, hessian, vmap and jit take it like a function of JAX itself.
jax.config.update("jax_enable_x64", True)
# of q, v and two lengths
energy = kb.jax(kb.energy, m, parameters=("a", "b"))
momenta = jax.grad(lambda v: energy(q, v, lengths)[0])(v)  # M v
assert abs(momenta @ v / energy(q, v, lengths)[0] - 2) < 1e-12

bend = jax.jit(jax.hessian(lambda p: energy(q, v, p)[0]))(lengths)
assert bend.shape == (2, 2)

# CasADi: a function in its own symbols. Where is the potential energy least,
# with loops closed?
opti = casadi.Opti()
x = opti.variable(m.nq)
place = [kb.casadi(kb.pose, m, body=name) for name in ("coupler", "rocker")]
ends = [
    place[0](x) @ casadi.DM([3, 0, 0, 1]),
    place[1](x) @ casadi.DM([2.5, 0, 0, 1]),
]
opti.subject_to(ends[0][:2] == ends[1][:2])  # the loop, written by hand
opti.minimize(kb.casadi(kb.energy, m)(x, np.zeros(m.nv))[1])
opti.set_initial(x, q)
opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
rest = opti.solve().value(x)
hanging = kb.assemble(m, {"A": float(rest[0])})
assert abs(hanging["B"] - rest[2]) < 1e-6
