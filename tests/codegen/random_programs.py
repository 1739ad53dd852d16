"""Random programs and a formula of mechanics' shape for the tests of this folder."""

import numpy as np

from korba.codegen import trace
from korba.expr import less, less_equal, maximum, minimum, sign, where

EPS = np.finfo(float).eps


def random_formula(seed, size):
    """A formula of q (3) and v (2) with shared parts and every kind of operation.

    Values stay within [-3, 3] and nothing jumps except by comparing inputs, so that rounding
    stays rounding.
    """

    def formula(q, v):
        rng = np.random.default_rng(seed)
        values = [*q, *v, 0.7, -1.3]

        def pick():
            return values[rng.integers(len(values))]

        for _ in range(size):
            a, b, c = pick(), pick(), pick()
            made = [
                lambda a=a, b=b: np.sin(a + b),
                lambda a=a, b=b: np.cos(a - 2.0 * b),
                lambda a=a, b=b, c=c: np.tanh(a * b - c),
                lambda a=a, b=b: a / (2.0 + b * b) - 0.25 * b,
                lambda a=a: np.sqrt(1.0 + a * a) - 1.0,
                lambda a=a, b=b: np.arctan2(0.0 * q[0] + a, 1.0 + b * b),
                lambda a=a, b=b: minimum(a, b) - 0.5 * maximum(a, b),
                lambda a=a: abs(a) ** 3 / 9.0 + (2.0 + a * a) ** -2,
                lambda a=a, b=b: where(less(q[0], v[1]), a, b),
                lambda a=a, b=b: sign(q[1]) * a * 0.5 + less_equal(v[0], q[2]) * b * 0.5,
                lambda a=a: np.exp(-a * a) + np.log(2.0 + a * a) * 0.1,
                lambda a=a: -np.arctan(a) + np.floor(3.0 * q[2]) * 0.01,
            ][rng.integers(12)]
            values.append(np.sin(made()) * 1.5)
        return np.array(values[-4:]), np.array([[values[-1] + 1.0, q[1]], [0.0, values[-2]]])

    return formula


def random_program(seed, size=30):
    return trace(random_formula(seed, size), {"q": 3, "v": 2}, "random")


def chain_formula(count):
    """Torques of a chain of point masses: a recursion outwards and one inwards."""

    def formula(q, v, a):
        angle, rate, push = 0.0, 0.0, np.array([0.0, 9.81])
        pushes, arms = [], []
        for i in range(count):
            angle, rate = angle + q[i], rate + v[i]
            arm = np.array([np.cos(angle), np.sin(angle)]) * (0.3 + 0.01 * i)
            side = np.array([-arm[1], arm[0]])
            push = push + side * a[i] - arm * rate * rate
            pushes.append(push * (1.0 + 0.1 * i))
            arms.append(arm)
        total, moment, torques = np.zeros(2), 0.0, []
        for i in reversed(range(count)):
            total = total + pushes[i]
            moment = moment + arms[i][0] * total[1] - arms[i][1] * total[0]
            torques.append(moment)
        return np.array(torques[::-1])

    return formula


def chain_program(count):
    return trace(chain_formula(count), {"q": count, "v": count, "a": count}, "arm")
