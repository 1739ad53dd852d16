"""The GPU through NVIDIA's own packages: arrays by DLPack, kernels by nvrtc, launches.

Needs the extra `gpu` (cuda-core and cuda-bindings). Kernels are kept in the cache on disk, by their
text, the GPU's kind and the compiler's version.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np

from korba.codegen.cache import cache_folder
from korba.codegen.targets.cuda import BLOCK
from korba.errors import KorbaError
from korba.libraries import library, undisturbed

WAY_OUT = (
    "pip install 'korba[gpu]' on a machine with an NVIDIA GPU and its driver, or leave device out"
)


@cache
def gpu() -> Gpu:
    """The current GPU of this process."""
    missing = f"device='cuda' needs the package cuda-core, which is not there; {WAY_OUT}"
    core = library("cuda.core", missing)
    try:
        device = core.Device()
        device.set_current()
    except Exception as error:  # of the driver: there is no GPU, or it is not ours
        raise KorbaError(f"device='cuda': no GPU answers ({error}); {WAY_OUT}") from error
    return Gpu(core, device)


class Gpu:
    """`Machine` of device.py by cuda-core."""

    def __init__(self, core: Any, device: Any) -> None:
        with undisturbed():
            from cuda.bindings import driver
            from cuda.core.utils import StridedMemoryView

        self._core, self._device, self._driver = core, device, driver
        self.index = int(device.device_id)
        """Which of the GPUs of this machine it is."""
        self._view = StridedMemoryView

    def viewed(self, array: Any, stream: Any) -> Any:
        """Where an array lies; None if it is none of the GPU."""
        if isinstance(array, np.ndarray):
            return None
        try:
            view = self._view.from_any_interface(array, stream_ptr=self._handle(stream))
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            if not any(hasattr(array, key) for key in ("__dlpack__", "__cuda_array_interface__")):
                return None
            raise KorbaError(f"device='cuda': an array cannot be taken: {error}") from error
        return view if view.is_device_accessible else None

    def empty(
        self, shape: tuple[int, ...], strides: tuple[int, ...], kind: str, stream: Any
    ) -> Any:
        """A new array."""
        dtype = np.dtype(kind)
        size = max(1, int(np.prod(shape, dtype=int))) * dtype.itemsize
        buffer = self._device.allocate(size, stream=self._stream(stream))
        return self._view.from_buffer(buffer, shape, strides, dtype=dtype)

    def filled(self, numbers: Any, stream: Any) -> Any:
        """A row of numbers, put there."""
        view = self.empty(numbers.shape, (1,), str(numbers.dtype), stream)
        handle = self._stream(stream).handle
        (code,) = self._driver.cuMemcpyHtoDAsync(
            view.ptr, numbers.ctypes.data, numbers.nbytes, handle
        )
        if code:
            raise KorbaError(f"device='cuda': numbers could not be put on the GPU ({code})")
        return view

    def kernels(self, text: str, names: Sequence[str]) -> tuple[Any, ...]:
        """Compiled for this GPU, or from the cache."""
        arch = f"sm_{self._device.arch}"
        folder = cache_folder()
        key = sha256(f"{text}\n{arch}\n{_compiler_version()}".encode()).hexdigest()
        code = folder.get(key)
        if code is None:
            options = self._core.ProgramOptions(arch=arch, std="c++17")
            code = self._core.Program(text, "c++", options).compile("cubin").code
            folder.put(key, code)
        module = self._core.ObjectCode.from_cubin(code)
        return tuple(module.get_kernel(name) for name in names)

    def launch(self, kernel: Any, count: int, arguments: Sequence[int], stream: Any) -> None:
        """A thread for each state."""
        config = self._core.LaunchConfig(grid=-(-count // BLOCK), block=BLOCK)
        self._core.launch(self._stream(stream), config, kernel, *arguments)

    def _stream(self, stream: Any) -> Any:
        """The stream asked for; else that in which the libraries work by default."""
        if stream is None:
            return self._core.LEGACY_DEFAULT_STREAM
        own = isinstance(stream, self._core.Stream)
        return stream if own else self._device.create_stream(stream)

    def _handle(self, stream: Any) -> int:
        """Its address, as DLPack takes it: 1 is the default one."""
        return 1 if stream is None else int(self._stream(stream).handle)


@cache
def _compiler_version() -> str:
    with undisturbed():
        from cuda.bindings import nvrtc

    return str(nvrtc.nvrtcVersion())
