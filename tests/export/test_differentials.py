"""The differentials of programs, and verbs as functions of PyTorch, JAX and CasADi.

Each library judges the derivatives by the checker of its own.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sample_mechanisms import free_four_bar

import korba as kb
from korba.export.functions import Function, function_of

ARM = """
name = "arm"
plane = "xy"
parameters = {l = 0.4, heavy = 1.5}
body = [
  {name = "upper", mass = 2, com = ["l/2", 0], inertia = 0.05},
  {name = "fore", mass = "heavy", com = ["l + 0.2", 0.1], inertia = 0.03},
]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "upper", at = [0, 0], damping = 0.2},
  {name = "B", type = "revolute", parent = "upper", child = "fore", at = ["l", 0]},
]
force = [{name = "pull", type = "joint", joint = "B", law = "3*sin(t) - 2*abs(B)"}]
"""
SIZES = ("l", "heavy")


@cache
def arm():
    """Two hinges with damping and a load in time that has a corner; two sizes."""
    return kb.loads(ARM)


@cache
def four_bar():
    """A loop that moves freely, with masses."""
    return free_four_bar()


CASES = {
    "forward dynamics": (kb.forward_dynamics, arm, "q v tau t", {}),
    "sizes": (kb.inverse_dynamics, arm, "q v a t p", {"parameters": SIZES}),
    "two results": (kb.energy, arm, "q v", {}),
    "a matrix": (kb.pose, arm, "q", {"body": "fore"}),
    "a loop": (kb.forward_dynamics, four_bar, "q v tau p", {"parameters": ("a", "c")}),
}
TWICE = {"forward dynamics", "two results"}
"""Those of which second derivatives are looked at as well."""


def case(name):
    """A verb, a mechanism, the arrays of a state and options."""
    verb, make, inputs, options = CASES[name]
    m, rng = make(), np.random.default_rng(1)
    q = kb.assemble(m, {"A": 0.7}).q if m is four_bar() else rng.uniform(-1, 1, m.nq)
    p = [dict(m.parameters)[key] for key in options.get("parameters", ())]
    known = {"q": q, "t": np.array([0.3]), "p": np.array(p, dtype=float)}
    arrays = [known[key] if key in known else rng.uniform(-1, 1, m.nv) for key in inputs.split()]
    return verb, m, arrays, options


each_case = pytest.mark.parametrize("name", CASES)


@each_case
def test_differentials_are_the_jacobian_and_its_transpose(name):
    """J dx and J'w are those of `kb.derivative`, and w'(J dx) = (J'w)'dx of their differentials."""
    verb, m, arrays, options = case(name)
    f = function_of("test", verb, m, options)
    rng = np.random.default_rng(2)
    inputs = [key for key, _ in f.program.inputs]
    partials = kb.compile(kb.derivative(verb, m, inputs, **options))(*arrays)
    count = len(f.program.shapes)
    J = [partials[k * count : (k + 1) * count] for k in range(len(inputs))]
    dx = [rng.normal(size=x.shape) for x in arrays]
    w = [rng.normal(size=shape) for shape in f.program.shapes]
    flat = [np.ravel(each) for each in w]
    dy, back = f.pushforward(*arrays, *dx), f.pullback(*arrays, *flat)
    for j, change in enumerate(dy):
        expected = sum(np.asarray(J[k][j]) @ dx[k] for k in range(len(inputs)))
        assert_allclose(change, expected, rtol=1e-9, atol=1e-9)
    for k, share in enumerate(back):
        expected = sum(np.tensordot(w[j], J[k][j], w[j].ndim) for j in range(count))
        assert_allclose(share, expected, rtol=1e-9, atol=1e-9)
    twice = f.pushforward.pullback, f.pullback.pushforward
    assert f.pushforward.transpose() is f.pullback
    assert f.pullback.transpose() is f.pushforward
    assert all(g.transpose is not None for g in twice)


@each_case
def test_jax_takes_a_verb_for_its_own(name):
    """`check_grads` finds derivatives right, forward and reverse, and theirs."""
    jax = pytest.importorskip("jax")
    from jax.test_util import check_grads

    verb, m, arrays, options = case(name)
    with jax.enable_x64(True):
        f = kb.jax(verb, m, **options)
        check_grads(f, arrays, order=1 + (name in TWICE), rtol=1e-5, atol=1e-5)
        found, expected = f(*arrays), kb.compile(verb, m, **options)(*arrays)
        for one, other in zip(*map(_parts, (found, expected)), strict=True):
            assert_allclose(one, other, rtol=0, atol=1e-12 * np.abs(other).max())


def _parts(results):
    return results if isinstance(results, tuple) else (results,)


def test_jax_maps_compiles_and_rounds():
    """vmap, jit and their compositions keep batches; without x64 results are single numbers."""
    jax = pytest.importorskip("jax")
    q, v, tau, t = case("forward dynamics")[2]
    many = q + np.linspace(0, 1, 5)[:, None]
    expected = kb.compile(kb.derivative(kb.forward_dynamics, arm(), "q"))(many, v, tau, t)
    f = kb.jax(kb.forward_dynamics, arm())
    with jax.enable_x64(True):
        J = jax.jit(jax.vmap(jax.jacrev(f), (0, None, None, None)))(many, v, tau, t)
        assert_allclose(J, expected, rtol=1e-11)
        whole = f(many, v, tau, t)
        assert whole.shape == (5, 2)
    single = f(q, v, tau, t)
    assert single.dtype == np.float32
    assert_allclose(single, whole[0], rtol=1e-6)


@each_case
def test_casadi_writes_the_same_derivatives(name):
    """Values and Jacobians of CasADi's graph are those of ours."""
    pytest.importorskip("casadi")
    verb, m, arrays, options = case(name)
    f = kb.casadi(verb, m, **options)
    values = _parts(kb.compile(verb, m, **options)(*arrays))
    found = f(*arrays)
    for one, other in zip(_parts(found), values, strict=True):
        assert_allclose(np.array(one).reshape(other.shape), other, rtol=0, atol=1e-11)
    y = f.name_out()[0]
    J = np.array(f.factory("J", f.name_in(), [f"jac:{y}:q"])(*arrays))
    expected = _parts(kb.compile(kb.derivative(verb, m, "q", **options))(*arrays))[0]
    columns = values[0].shape[-1] if values[0].ndim > 1 else 1
    own = np.swapaxes(expected.reshape(-1, columns, m.nq), 0, 1)  # CasADi counts down columns
    assert_allclose(J, own.reshape(J.shape), rtol=1e-9, atol=1e-9)


def test_casadi_takes_batches_in_columns_and_prints_c():
    """A column of each input is a state; what CasADi prints is its own C."""
    pytest.importorskip("casadi")
    q, v, tau, t = case("forward dynamics")[2]
    f = kb.casadi(kb.forward_dynamics, arm())
    many = q + np.linspace(0, 1, 4)[:, None]
    expected = kb.forward_dynamics(arm(), many, v, tau, t=0.3)
    assert_allclose(np.array(f(many.T, v, tau, t)).T, expected, rtol=0, atol=1e-11)
    assert f.name() == "arm_forward_dynamics"
    assert f.name_in() == ["q", "v", "tau", "t"]


@pytest.mark.filterwarnings("ignore:`torch.jit")  # PyTorch's own, in forward mode
@each_case
def test_torch_takes_a_verb_for_its_own(name):
    """`gradcheck` and `gradgradcheck` find derivatives right, forward mode too."""
    torch = pytest.importorskip("torch")
    verb, m, arrays, options = case(name)
    f = kb.torch(verb, m, **options)
    given = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in arrays]
    assert torch.autograd.gradcheck(f, given, check_forward_ad=True, rtol=1e-5, atol=1e-6)
    assert torch.autograd.gradgradcheck(f, given, rtol=1e-5, atol=1e-6)


@pytest.mark.filterwarnings("ignore:`torch.jit")
def test_torch_broadcasts_maps_and_rounds():
    """Gradients of what was broadcast are sums; vmap of a Jacobian is that of `kb.derivative`."""
    torch = pytest.importorskip("torch")
    q, v, tau, t = case("forward dynamics")[2]
    many = q + np.linspace(0, 1, 5)[:, None]
    f = kb.torch(kb.forward_dynamics, arm())
    J = kb.compile(kb.derivative(kb.forward_dynamics, arm(), ("q", "v")))(many, v, tau, t)
    given = [torch.tensor(x) for x in (many, v, tau, t)]
    found = torch.vmap(torch.func.jacrev(f), (0, None, None, None))(*given)
    assert_allclose(found, J[0], rtol=1e-11)
    given[1].requires_grad_()
    f(*given).sum().backward()
    assert_allclose(given[1].grad, J[1].sum(axis=(0, 1)), rtol=1e-11)
    assert f(*(x.detach().float() for x in given)).dtype == torch.float32


def test_tensors_on_a_gpu_stay_there(monkeypatch):
    """Values, gradients and batches are those of the processor, which is not asked."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available() or not find_spec("cuda"):
        pytest.skip("needs an NVIDIA GPU and the extra gpu")
    q, v, tau, t = case("forward dynamics")[2]
    many = q + np.linspace(0, 1, 500)[:, None]
    expected = kb.forward_dynamics(arm(), many, v, tau, t=0.3)
    J = kb.compile(kb.derivative(kb.forward_dynamics, arm(), ("q", "v")))(many, v, tau, t)
    f = kb.torch(kb.forward_dynamics, arm())
    given = [torch.tensor(x, dtype=torch.float64, device="cuda") for x in (many, v, tau, t)]
    monkeypatch.setattr(Function, "__call__", None)
    for stream in (torch.cuda.default_stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            found = f(*given)
            turned = torch.vmap(torch.func.jacrev(f), (0, None, None, None))(*given)
            assert found.is_cuda and turned.is_cuda
            assert_allclose(found.cpu(), expected, rtol=0, atol=1e-11)
            assert_allclose(turned.cpu(), J[0], rtol=1e-10, atol=1e-11)
    given[1].requires_grad_()
    f(*given).sum().backward()
    assert_allclose(given[1].grad.cpu(), J[1].sum(axis=(0, 1)), rtol=1e-10)


@pytest.mark.parametrize("name", ["torch", "jax", "casadi"])
def test_a_missing_library_is_named_with_its_extra(name, monkeypatch):
    """Without the library the error says what to install."""
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(kb.KorbaError, match=rf"pip install 'korba\[{name}\]'"):
        getattr(kb, name)(kb.mass_matrix, arm())


def test_what_is_no_formula_and_wrong_shapes_are_refused():
    """Friction is found by steps; an array of another size is named."""
    pytest.importorskip("jax")
    rough = [replace(j, friction=kb.Friction(0.1, radius=0.05)) for j in four_bar().joints]
    driven = replace(kb.linkages.four_bar(1, 3, 2.5, 3.2), joints=tuple(rough))
    with pytest.raises(kb.StructureError, match="found by steps"):
        kb.jax(kb.reactions, driven, friction=True)
    with pytest.raises(kb.StructureError, match=r"q: expected shape \(..., 2\), got \(3,\)"):
        kb.jax(kb.mass_matrix, arm())(np.zeros(3))
    with pytest.raises(kb.StructureError, match=r"expected 1 arrays, q \(2\); got 2"):
        kb.jax(kb.mass_matrix, arm())(np.zeros(2), np.zeros(2))
