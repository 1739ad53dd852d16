"""Verbs as functions of JAX.

One primitive evaluates a function (functions.py) of arrays of one batch. JAX asks of it what it
asks of its own: shapes, the value (a call of machine code, `jax.pure_callback`), the pushforward,
the transpose of what is linear, and what to do with one axis more. So `grad`, `jvp`, `jacfwd`,
`hessian`, `vmap` and `jit` of it, and of each other, are all there: `custom_jvp` would have to make
whole Jacobians, since a callback cannot be transposed, and `custom_vjp` has no forward mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..codegen import Program
from ..door import public
from ..model.mechanism import Mechanism
from ..verbs.verb import Verb
from .functions import Function, function_of, host_library, refuse_shapes


@public
def jax(
    verb: Verb[..., Any] | Program, m: Mechanism | None = None, **options: Any
) -> Callable[..., Any]:
    """A verb of a mechanism as a function of JAX arrays, differentiable as often as asked.

    It takes what `kb.compile(verb, m, ...)` takes: an array (..., size) for each input, the time
    and the sizes named in `parameters` last; the leading axes broadcast. The options are those of
    the verb. `jax.grad`, `jvp`, `jacfwd`, `jacrev`, `hessian`, `vmap` and `jit` take it; its
    derivatives come from Korba's own graph of the verb, one pass each. Numbers are computed in
    double precision on the processor; JAX rounds them to float32 unless "jax_enable_x64" is set.
    It needs JAX: `pip install 'korba[jax]'`.

        >>> m = kb.linkages.four_bar(1, 3, 2.5, 3.2)
        >>> f, q, v = kb.jax(kb.energy, m), jax.numpy.zeros(m.nq), jax.numpy.ones(m.nv)
        >>> momenta = jax.grad(lambda v: f(q, v)[0])(v)
        >>> round(float(momenta @ v / f(q, v)[0]), 5)   # v'M v is twice the kinetic energy
        2.0
    """
    numbers, evaluation = host_library("jax").numpy, _evaluation()
    function = function_of("jax", verb, m, options)
    single = function.program.single

    def called(*arrays: Any) -> Any:
        given = [numbers.asarray(x) for x in arrays]
        refuse_shapes(function, [x.shape for x in given])
        kind = numbers.result_type(float, *(x.dtype for x in given))
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in given))
        whole = [numbers.broadcast_to(x.astype(kind), (*batch, x.shape[-1])) for x in given]
        results = evaluation.bind(*whole, function=function)
        return results[0] if single else tuple(results)

    return called


@cache
def _evaluation() -> Any:
    """The primitive: `bind(*arrays, function=...)` gives the results of a function of them."""
    made = host_library("jax", ".extend.core").Primitive("korba")
    made.multiple_results = True
    made.def_impl(_values)
    made.def_abstract_eval(_shapes)
    host_library("jax", ".interpreters.ad").primitive_jvps[made] = _pushed
    host_library("jax", ".interpreters.ad").primitive_transposes[made] = _transposed
    host_library("jax", ".interpreters.batching").primitive_batchers[made] = _mapped
    lowering = host_library("jax", ".interpreters.mlir")
    lowering.register_lowering(made, lowering.lower_fun(_called_back, multiple_results=True))
    return made


def _values(*given: Any, function: Function) -> list[Any]:
    """The results, in the type of the inputs."""
    results = function(*(np.asarray(x, dtype=float) for x in given))
    return [host_library("jax").numpy.asarray(y, dtype=given[0].dtype) for y in results]


def _shapes(*given: Any, function: Function) -> list[Any]:
    batch, kind = given[0].shape[:-1], given[0].dtype
    array = host_library("jax").core.ShapedArray
    return [array((*batch, *shape), kind) for shape in function.program.shapes]


def _called_back(*given: Any, function: Function) -> Any:
    """The results inside compiled code."""
    kind = given[0].dtype

    def values(*arrays: Any) -> list[Any]:
        results = function(*(np.asarray(x, dtype=float) for x in arrays))
        return [np.asarray(y, dtype=kind) for y in results]

    shapes = [
        host_library("jax").ShapeDtypeStruct(x.shape, kind)
        for x in _shapes(*given, function=function)
    ]
    return host_library("jax").pure_callback(values, shapes, *given)


def _pushed(given: Any, changes: Any, *, function: Function) -> tuple[Any, Any]:
    """The results and their changes."""
    known = map(host_library("jax", ".interpreters.ad").instantiate_zeros, changes)
    evaluation = _evaluation()
    results = evaluation.bind(*given, function=function)
    return results, evaluation.bind(*given, *known, function=function.pushforward)


def _transposed(weights: Any, *given: Any, function: Function) -> list[Any]:
    """Weights of the linear inputs, from weights of the results; None for all others."""
    ad = host_library("jax", ".interpreters.ad")
    if function.transpose is None:
        raise NotImplementedError("what is to be transposed is not linear")
    transpose = function.transpose()
    first = len(function.sizes) - len(transpose.program.shapes)
    batch = next(x.shape for x in given if not ad.is_undefined_primal(x))[:-1]
    flat = [ad.instantiate_zeros(w).reshape(*batch, -1) for w in weights]
    shares = _evaluation().bind(*given[:first], *flat, function=transpose)
    linear = [
        share.reshape(x.aval.shape) if ad.is_undefined_primal(x) else None
        for share, x in zip(shares, given[first:], strict=True)
    ]
    return [None] * first + linear


def _mapped(given: Sequence[Any], places: Sequence[Any], *, function: Function) -> Any:
    """One batch axis more, in front of the others."""
    numbers, none = host_library("jax").numpy, None
    count = next(x.shape[p] for x, p in zip(given, places, strict=True) if p is not none)
    whole = [
        numbers.broadcast_to(x, (count, *x.shape)) if p is none else numbers.moveaxis(x, p, 0)
        for x, p in zip(given, places, strict=True)
    ]
    results = _evaluation().bind(*whole, function=function)
    return results, [0] * len(results)
