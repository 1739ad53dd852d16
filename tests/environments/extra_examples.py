"""One example of every extra: `python extra_examples.py EXTRA` in an environment that has it alone.

An example fails where it gives something else than it should. Where the extra is missing it ends
in an error of Korba that names the line which installs it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import korba as kb

TRIANGLES = """ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face 4
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
0 0 1
3 0 2 1
3 0 1 3
3 1 2 3
3 0 3 2
"""
HINGED = """<mujoco><worldbody><body name="rod"><joint name="A" axis="0 0 1"/>
<inertial mass="2" pos="0.5 0 0" diaginertia="0.01 0.1 0.1"/></body></worldbody></mujoco>"""


def pendulum() -> kb.Mechanism:
    """A rod on a pin."""
    rod = kb.Body("rod", 2, com=(0.5, 0), inertia=0.1)
    pin = kb.Revolute("A", "ground", "rod", at=(0, 0))
    return kb.Mechanism("pendulum", [rod], [pin], plane="xy")


def four_bar() -> kb.Mechanism:
    """A crank and a rocker."""
    return kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")


def _sympy(folder: Path) -> None:
    assert "cos" in str(kb.equations(pendulum()).sympy())


def _table(folder: Path) -> None:
    frame = kb.reactions(four_bar(), kb.motion(four_bar(), [0.0, 0.1])).to_dataframe()
    assert len(frame) == 2 and "F_x.B" in frame.columns


def _plot(folder: Path) -> None:
    shown = kb.plot(kb.motion(four_bar(), np.linspace(0.0, 1.0, 13)))
    for ending in ("png", "html"):
        shown.save(folder / f"curves.{ending}")
        assert (folder / f"curves.{ending}").stat().st_size > 10_000


def _sundials(folder: Path) -> None:
    known = kb.simulate(pendulum(), 1.0, q={"A": 0.3})["A"][-1]
    by_cvode = kb.simulate(pendulum(), 1.0, q={"A": 0.3}, method="sundials")["A"][-1]
    assert abs(by_cvode - known) < 1e-4


def _mujoco(folder: Path) -> None:
    (folder / "model.xml").write_text(HINGED)
    assert kb.read_mjcf(folder / "model.xml").bodies[0].mass == 2


def _pdf(folder: Path) -> None:
    kb.report(pendulum(), folder / "report.pdf")
    assert (folder / "report.pdf").read_bytes().startswith(b"%PDF")


def _film(folder: Path) -> None:
    moved = kb.motion(four_bar(), np.linspace(0.0, 1.0, 13))
    for ending in ("gif", "mp4"):
        kb.animate(moved, folder / f"film.{ending}", seconds=0.3, fps=10)
        assert (folder / f"film.{ending}").stat().st_size > 1000


def _mesh(folder: Path) -> None:
    (folder / "corner.ply").write_text(TRIANGLES)
    corner = kb.solids.mesh(folder / "corner.ply", density=6.0)
    assert np.allclose(corner.mass, 1.0)


def _cluster(folder: Path) -> None:
    from distributed import Client, LocalCluster

    one = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with LocalCluster(**one, dashboard_address=None) as cluster, Client(cluster) as client:
        lengths = {"b": ["115 mm", "120 mm"]}
        assert len(kb.sweep(four_bar(), lengths, ["size"], client=client)["size"]) == 2


class OnGpu:
    """Numbers on the GPU, by the packages of the extra and no library of arrays besides."""

    def __init__(self, numbers: np.ndarray) -> None:
        from cuda.bindings import driver
        from cuda.core import LEGACY_DEFAULT_STREAM, Device

        self.shape, self._driver, self._device = numbers.shape, driver, Device()
        self._device.set_current()
        self._buffer = self._device.allocate(numbers.nbytes, stream=LEGACY_DEFAULT_STREAM)
        self._device.sync()
        (code,) = driver.cuMemcpyHtoD(self._address, numbers.ctypes.data, numbers.nbytes)
        assert not code, code

    @property
    def _address(self) -> int:
        return int(self._buffer.handle)

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        """As Numba and others tell of their arrays."""
        data = (self._address, False)
        return {"shape": self.shape, "typestr": "<f8", "data": data, "version": 3, "strides": None}

    def numbers(self) -> np.ndarray:
        """A copy in the memory of the processor."""
        self._device.sync()
        here = np.empty(self.shape)
        (code,) = self._driver.cuMemcpyDtoH(here.ctypes.data, self._address, here.nbytes)
        assert not code, code
        return here


def _gpu(folder: Path) -> None:
    states = np.linspace(0.0, 1.0, 3)[:, None]
    mass_matrix = kb.compile(kb.mass_matrix, pendulum(), device="cuda")
    answer = OnGpu(np.zeros((3, 1, 1)))
    mass_matrix(OnGpu(states), out=answer)
    assert np.allclose(answer.numbers(), kb.mass_matrix(pendulum(), states))


def _robots(folder: Path) -> None:
    assert kb.robots("panda").nv == 8
    assert "panda" in kb.robots()


def _zig(folder: Path) -> None:
    made = kb.export_fmu(pendulum(), folder / "pendulum.fmu", platforms=["x86_64-windows"])
    assert made.platforms == ("x86_64-windows",)


def _differentials(name: str) -> Callable[[Path], None]:
    """A mass matrix as a function of another library."""

    def example(folder: Path) -> None:
        made = getattr(kb, name)(kb.mass_matrix, pendulum())
        state = [0.3] if name == "casadi" else _of(name, [0.3])
        assert np.allclose(np.asarray(made(state)), kb.mass_matrix(pendulum(), [0.3]))

    return example


def _of(name: str, state: list[float]) -> object:
    if name == "torch":
        import torch

        return torch.tensor(state, dtype=torch.float64)
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax.numpy.array(state)


EXAMPLES: dict[str, tuple[tuple[str, ...], Callable[[Path], None]]] = {
    "sympy": (("sympy",), _sympy),
    "table": (("pandas",), _table),
    "plot": (("matplotlib", "plotly"), _plot),
    "sundials": (("sksundae",), _sundials),
    "mujoco": (("mujoco",), _mujoco),
    "pdf": (("typst",), _pdf),
    "film": (("resvg_py", "PIL", "imageio_ffmpeg"), _film),
    "mesh": (("trimesh",), _mesh),
    "gpu": (("cuda.core", "cuda.bindings"), _gpu),
    "cluster": (("distributed",), _cluster),
    "torch": (("torch",), _differentials("torch")),
    "jax": (("jax",), _differentials("jax")),
    "casadi": (("casadi",), _differentials("casadi")),
    "robots": ((), _robots),  # files without a module
    "zig": (("ziglang",), _zig),
}
"""The modules that an extra brings, and an example of it."""
OF_THE_USER = {"cluster"}
"""Extras that the user imports, and hands to Korba."""


def refusal(extra: str, folder: Path) -> str:
    """What Korba says where an extra is missing; empty where it says nothing."""
    try:
        EXAMPLES[extra][1](folder)
    except kb.KorbaError as error:
        return str(error)
    return ""


def is_there(extra: str) -> bool:
    """Whether all modules of an extra can be found, or its files."""
    if not EXAMPLES[extra][0]:
        return bool(kb.robots())
    try:
        return all(find_spec(module) for module in EXAMPLES[extra][0])
    except ModuleNotFoundError:  # of the package that a module is in
        return False


def main(extra: str) -> None:
    """The example of one extra, and the sentences of those that are missing."""
    with tempfile.TemporaryDirectory() as name:
        EXAMPLES[extra][1](Path(name))
        print(f"{extra}: its example works")
        for other in EXAMPLES.keys() - OF_THE_USER:
            if not is_there(other):
                said = refusal(other, Path(name))
                assert f"pip install 'korba[{other}]'" in said, f"{other}: {said!r}"
                print(f"{other} is missing: {said}")


if __name__ == "__main__":
    main(sys.argv[1])
