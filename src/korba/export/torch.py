"""Verbs as functions of PyTorch.

`torch.autograd.Function` asks for the value, for its pullback (`backward`) and its pushforward
(`jvp`), and for what `torch.vmap` does. The first three are programs (functions.py), called by the
same class again, so that gradients of gradients need no words of their own; a batch is an axis in
front. Inputs are made of one shape beforehand, by PyTorch, which so knows what to sum over.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

from ..codegen import Program
from ..codegen.callable.gpu import gpu
from ..door import public
from ..model.mechanism import Mechanism
from ..verbs.verb import Verb
from .functions import Function, function_of, host_library, refuse_shapes


@public
def torch(
    verb: Verb[..., Any] | Program, m: Mechanism | None = None, **options: Any
) -> Callable[..., Any]:
    """A verb of a mechanism as a function of PyTorch tensors, differentiable as often as asked.

    It takes what `kb.compile(verb, m, ...)` takes: a tensor (..., size) for each input, the time
    and the sizes named in `parameters` last; the leading axes broadcast. The options are those of
    the verb. Gradients (of gradients), `torch.func.jvp`, `jacrev`, `hessian` and `vmap` come from
    Korba's own graph of the verb, one pass each. Numbers are computed in double precision and
    returned in the type of the inputs, where these are: tensors on an NVIDIA GPU stay there with
    the extra `gpu`, and without it go through the processor. It needs PyTorch:
    `pip install 'korba[torch]'`.

        >>> m = kb.linkages.four_bar(1, 3, 2.5, 3.2)
        >>> f = kb.torch(kb.energy, m)
        >>> v = torch.ones(m.nv, requires_grad=True)
        >>> kinetic, potential = f(torch.zeros(m.nq), v)
        >>> kinetic.backward()
        >>> round((v.grad @ v / kinetic).item(), 5)     # v'M v is twice the kinetic energy
        2.0
    """
    own, function = host_library("torch"), function_of("torch", verb, m, options)
    single = function.program.single

    def called(*arrays: Any) -> Any:
        given = [own.as_tensor(x) for x in arrays]
        refuse_shapes(function, [tuple(x.shape) for x in given])
        kind = _kind(own, given)
        batch = own.broadcast_shapes(*(x.shape[:-1] for x in given))
        whole = [x.to(kind).expand(*batch, x.shape[-1]) for x in given]
        results = _evaluation().apply(function, *whole)
        return results[0] if single else results

    return called


def _kind(own: Any, given: Any) -> Any:
    """The type that all inputs go into, a floating one."""
    kind = own.get_default_dtype() if not given else given[0].dtype
    for x in given[1:]:
        kind = own.promote_types(kind, x.dtype)
    return kind if kind.is_floating_point else own.get_default_dtype()


def _stays(given: Any) -> bool:
    """Whether all inputs are on the GPU that programs run on."""
    if not all(x.is_cuda for x in given) or not find_spec("cuda") or not find_spec("cuda.core"):
        return False
    return bool(given) and {x.device.index for x in given} == {gpu().index}


def _on_gpu(own: Any, function: Function, given: Any) -> tuple[Any, ...]:
    """The results of inputs that are there, after the work that PyTorch has under way, before more.

    Programs run in the default stream; another one of PyTorch waits for it, and is waited for.
    """
    stream = own.cuda.current_stream(given[0].device)
    if stream.cuda_stream:
        stream.synchronize()
    results = function.on_gpu(*(x.detach().double().contiguous() for x in given))
    whole = (results,) if function.program.single else results
    if stream.cuda_stream:
        own.cuda.default_stream(given[0].device).synchronize()
    return tuple(own.as_tensor(y).to(given[0]) for y in whole)


@cache
def _evaluation() -> Any:
    """The class whose `apply(function, *tensors)` gives the results; all are of one batch."""
    own = host_library("torch")
    base: Any = own.autograd.Function

    class Evaluation(base):  # type: ignore[misc]
        """A function at hand; PyTorch asks for what it needs."""

        @staticmethod
        def forward(function: Function, *given: Any) -> Any:
            if _stays(given):
                return _on_gpu(own, function, given)
            results = function(*(x.detach().cpu().double().numpy() for x in given))
            return tuple(own.from_numpy(y).to(given[0]) for y in results)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            del output
            ctx.function, *given = inputs
            ctx.save_for_backward(*given)
            ctx.save_for_forward(*given)

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> Any:
            batch = ctx.saved_tensors[0].shape[:-1]
            flat = [w.reshape(*batch, -1) for w in weights]
            return None, *Evaluation.apply(ctx.function.pullback, *ctx.saved_tensors, *flat)

        @staticmethod
        def jvp(ctx: Any, _: Any, *changes: Any) -> Any:
            given = ctx.saved_tensors
            known = [
                own.zeros_like(x) if dx is None else dx
                for x, dx in zip(given, changes, strict=True)
            ]
            return Evaluation.apply(ctx.function.pushforward, *given, *known)

        @staticmethod
        def vmap(info: Any, places: Any, function: Function, *given: Any) -> Any:
            whole = [
                x.expand(info.batch_size, *x.shape) if place is None else x.movedim(place, 0)
                for x, place in zip(given, places[1:], strict=True)
            ]
            results = Evaluation.apply(function, *whole)
            return results, (0,) * len(results)

    return Evaluation
