"""The parameters of an arm from measured torques: base parameters, least
squares, intervals.
"""

import numpy as np

import korba as kb

bodies = [
    kb.Body("trunk", 8.0, (0, 0, 0.1), (0.1, 0.1, 0.08)),
    kb.Body("upper", 4.0, (0.2, 0.02, 0.3), (0.01, 0.06, 0.06)),
    kb.Body("fore", 2.0, (0.55, 0, 0.3), (0.004, 0.02, 0.02)),
]
joints = [
    kb.Revolute(
        "A", "ground", "trunk", at=(0, 0, 0), axis=(0, 0, 1), damping=0.6
    ),
    kb.Revolute(
        "B", "trunk", "upper", at=(0, 0, 0.3), axis=(0, 1, 0), damping=0.5
    ),
    kb.Revolute(
        "C", "upper", "fore", at=(0.4, 0, 0.3), axis=(0, 1, 0), damping=0.3
    ),
]
arm = kb.Mechanism("arm", bodies, joints)
# viscous and dry friction of all joints too
base = kb.base_parameters(arm, friction=True)
dry = {"c_A": 1.2, "c_B": 0.9, "c_C": 0.4}
true = base.values + [dry.get(name, 0.0) for name in base.names]
print(base)

# a motion that excites all parameters: sums of five sines, measured 1,001
# times
rng, t = np.random.default_rng(2), np.linspace(0, 10, 1001)[:, None, None]
w, phase = 0.2 * np.pi * np.arange(1, 6)[:, None], rng.uniform(0, 6, (5, 3))
q, v, a = (
    np.sum(w**k * np.sin(w * t + phase + k * np.pi / 2), axis=1)
    for k in range(3)
)
Y = kb.regressor(arm, q, v, a, friction=True)
torque = Y @ true + 0.3 * rng.normal(size=v.shape)  # noise of 0.3 N m

A, b = Y.reshape(-1, len(base)), torque.ravel()
estimate, squares, *_ = np.linalg.lstsq(A, b, rcond=None)
noise = np.sqrt(squares[0] / (len(b) - len(base)))
# 99.7 % of them hold the truth
interval = 3 * noise * np.sqrt(np.diag(np.linalg.inv(A.T @ A)))
for row in zip(base.names, estimate, interval, true, strict=True):
    print("{:10} {:8.4f} ± {:.4f}   true {:8.4f}".format(*row))

# estimates are those of real bodies only if every mass matrix is positive
# definite
Y_0, still = kb.regressor(arm, q, 0 * v, 0 * a, friction=True), np.zeros(3)
columns = [
    kb.regressor(arm, q, still, e, friction=True) - Y_0 for e in np.eye(3)
]
M = np.stack([column @ estimate for column in columns], axis=-1)
print(
    f"noise {noise:.3f} N m; least eigenvalue of M "
    f"{np.linalg.eigvalsh(M).min():.3f} kg m²"
)

assert np.all(np.abs(estimate - true) < interval)
assert np.linalg.eigvalsh(M).min() > 0
assert abs(noise - 0.3) < 0.01
