"""Objects for other systems: written here, looked into here, and run where an emulator is.

LLVM writes for every system on any. What an object asks for must be what Korba gives it
(`machine._library_addresses`), and its numbers, run by an emulator, those of NumPy.
"""

import platform
import shutil
import struct
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from zipfile import ZipFile

import llvmlite.binding as llvm
import numpy as np
import pytest
from sample_mechanisms import free_four_bar

import korba as kb
from korba.codegen.program import trace
from korba.codegen.targets.llvm import compiler, helper, machine
from korba.codegen.targets.llvm.instructions import LIBRARY
from korba.codegen.targets.llvm.python import scalar_text
from korba.codegen.targets.llvm.rows import batch_text

WINDOWS, LINUX_ARM, MAC_ARM, MAC = (
    "x86_64-pc-windows-msvc",
    "aarch64-unknown-linux-gnu",
    "arm64-apple-darwin",
    "x86_64-apple-darwin",
)
SYSTEMS = (WINDOWS, LINUX_ARM, MAC_ARM, MAC)
GIVEN = {*LIBRARY.values(), *machine.CALLED}
SIZES = (3, 120)
"""Inputs of a program: the last wants more than a page of the stack."""


def program(size):
    """Every function of the C library, and sums whose terms are all needed at the end."""

    def written(x):
        one = np.sin(x) * np.exp(np.floor(x[0])) + np.arctan2(x, x[1]) + np.cosh(x) ** 1.7
        two = np.log(np.abs(x) + 2.0) + np.tan(x) * np.arcsin(0.1 * x) + np.tanh(x) + np.sinh(x)
        return one * two[::-1] + np.arccos(0.1 * x) * (one @ two) + np.arctan(x)

    return trace(written, {"x": size})


@cache
def objects(system, width=2):
    """Object code for one state and for batches, of programs of every size."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(helper.triple(system))
    made = target.create_target_machine(opt=1, reloc="pic", codemodel="small")
    programs = map(program, SIZES)
    texts = [text for own in programs for text in (scalar_text(own), batch_text(own, width))]
    return [bytes(made.emit_object(llvm.parse_assembly(text))) for text in texts]


def asked(code):
    """Names that an object takes from elsewhere."""
    return {name for name, known in (_elf if code[:4] == b"\x7fELF" else _mach)(code) if not known}


def _elf(code):
    start, size, count = *struct.unpack_from("<Q", code, 0x28), *struct.unpack_from("<HH", code, 58)
    heads = [struct.unpack_from("<IIQQQQIIQQ", code, start + size * k) for k in range(count)]
    for head in heads:
        if head[1] == 2:  # the table of symbols
            text = heads[head[6]][4]
            for at in range(head[4] + 24, head[4] + head[5], 24):
                name, _, _, section, _, _ = struct.unpack_from("<IBBHQQ", code, at)
                yield _word(code, text + name), section != 0


def _mach(code):
    assert struct.unpack_from("<I", code)[0] == 0xFEEDFACF
    at = 32
    for _ in range(struct.unpack_from("<I", code, 16)[0]):
        kind, length = struct.unpack_from("<II", code, at)
        if kind == 2:  # the table of symbols
            first, count, text, _ = struct.unpack_from("<IIII", code, at + 8)
            for k in range(count):
                name, kind, _, _, _ = struct.unpack_from("<IBBHQ", code, first + 16 * k)
                yield _word(code, text + name).removeprefix("_"), kind & 0x0E != 0
        at += length


def _word(code, at):
    return code[at : code.index(b"\0", at)].decode()


@pytest.mark.parametrize("system", SYSTEMS)
def test_objects_ask_for_what_they_are_given(system):
    """Functions of the C library, and on Windows the one that touches pages of the stack."""
    found = set().union(*map(asked, objects(system)))
    assert "sinh" in found
    assert found <= GIVEN | ({*machine.STACK} if system == WINDOWS else set())
    assert (system != WINDOWS) or {*machine.STACK} <= found


def test_objects_for_windows_are_elf_without_a_wish_of_coff():
    """COFF would ask for `_fltused`, which no library has; other systems have their own form."""
    own = llvm.get_default_triple()
    assert helper.triple(WINDOWS) == f"{WINDOWS}-elf"
    assert own == helper.triple(own) or sys.platform == "win32"
    for system, head in ((WINDOWS, b"\x7fELF"), (MAC_ARM, b"\xcf\xfa\xed\xfe")):
        assert all(code.startswith(head) for code in objects(system))
        assert all(b"_fltused" not in code for code in objects(system))


@pytest.mark.parametrize("name", machine._c_libraries("linux"))
def test_everything_that_may_be_asked_for_is_there(name):
    """Of this system; the names for Windows are those of its documentation."""
    assert machine._c_libraries("win32") == ["ucrtbase", "ntdll"]
    if sys.platform != "win32":
        assert machine._library_addresses().keys() >= GIVEN
        assert all(machine._library_addresses().values())


def test_a_processor_without_a_list_of_features_is_no_fault(monkeypatch):
    """LLVM has no way to ask some systems: then nothing but the name is used."""

    def none():
        raise RuntimeError("not available")

    monkeypatch.setattr(llvm, "get_host_cpu_features", none)
    found = compiler._processor.__wrapped__()
    assert (found.features, found.width) == ("", 2)
    assert found.cpu


MAIN = """
#include <stdio.h>
void scalar(const double *, double *);
int main(void)
{{
  static double x[{size}], y[{size}];
  for (int i = 0; i < {size}; i++) x[i] = 0.001 * (i + 1);
  scalar(x, y);
  for (int i = 0; i < {size}; i++) printf("%.17g\\n", y[i]);
  return 0;
}}
"""
EMULATED = {
    "aarch64-linux-musl": ("aarch64-unknown-linux-musl", ("qemu-aarch64", "qemu-aarch64-static")),
    "x86_64-windows-gnu": ("x86_64-pc-windows-gnu", ("wine64", "wine")),
}


def emulator(system):
    """What runs programs of a system here; nothing where that is this system."""
    if system.startswith(platform.machine()) and system.split("-")[1] in sys.platform:
        return []
    return next(([path] for name in EMULATED[system][1] if (path := shutil.which(name))), None)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("system", EMULATED)
def test_numbers_on_other_systems_are_those_of_numpy(system, size, tmp_path):
    """An object linked by Zig with a program in C, and run."""
    runner = emulator(system)
    if not find_spec("ziglang") or runner is None:
        pytest.skip(f"needs ziglang and one of {', '.join(EMULATED[system][1])}")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(EMULATED[system][0])
    made = target.create_target_machine(opt=1, reloc="pic", codemodel="small")
    own = program(size)
    text = scalar_text(own, for_python=False)
    (tmp_path / "one.o").write_bytes(made.emit_object(llvm.parse_assembly(text)))
    (tmp_path / "main.c").write_text(MAIN.format(size=size))
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", system]
    command = [*zig, "main.c", "one.o", "-o", "one.exe", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    command = [*runner, str(tmp_path / "one.exe")]
    ran = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    x = 0.001 * np.arange(1, size + 1)
    expected = kb.compile(own)(x)
    assert np.allclose(np.array(ran.stdout.split(), float), expected, rtol=1e-12, atol=1e-12)


RUN_UNIT = """
#include <stdio.h>
#include "fmi3.h"
#include "unit.h"
fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean,
    const fmi3ValueReference[], size_t, fmi3InstanceEnvironment, fmi3LogMessageCallback,
    fmi3IntermediateUpdateCallback);
fmi3Status fmi3EnterInitializationMode(
    fmi3Instance, fmi3Boolean, fmi3Float64, fmi3Float64, fmi3Boolean, fmi3Float64);
fmi3Status fmi3ExitInitializationMode(fmi3Instance);
fmi3Status fmi3DoStep(
    fmi3Instance, fmi3Float64, fmi3Float64, fmi3Boolean, fmi3Boolean *, fmi3Boolean *,
    fmi3Boolean *, fmi3Float64 *);
fmi3Status fmi3GetFloat64(
    fmi3Instance, const fmi3ValueReference[], size_t, fmi3Float64[], size_t);
int main(void)
{
  fmi3Boolean a, b, c;
  fmi3Float64 reached, values[KORBA_STATES];
  fmi3ValueReference references[KORBA_STATES];
  fmi3Instance unit = fmi3InstantiateCoSimulation(
      "u", KORBA_TOKEN, NULL, false, false, false, false, NULL, 0, NULL, NULL, NULL);
  if (!unit || fmi3EnterInitializationMode(unit, true, 1e-10, 0.0, false, 0.0)) return 1;
  if (fmi3ExitInitializationMode(unit)) return 2;
  for (int k = 0; k < 10; k++)
    if (fmi3DoStep(unit, 0.1 * k, 0.1, true, &a, &b, &c, &reached)) return 3;
  for (unsigned k = 0; k < KORBA_STATES; k++) references[k] = 1 + k;
  if (fmi3GetFloat64(unit, references, KORBA_STATES, values, KORBA_STATES)) return 4;
  for (int k = 0; k < KORBA_STATES; k++) printf("%.17g\\n", values[k]);
  return 0;
}
"""


@pytest.mark.parametrize("system", EMULATED)
def test_units_on_other_systems_move_as_here(system, tmp_path):
    """The sources of an FMU with a loop, a program around them, and a second of motion."""
    runner = emulator(system)
    if not find_spec("ziglang") or runner is None:
        pytest.skip(f"needs ziglang and one of {', '.join(EMULATED[system][1])}")
    m = free_four_bar()
    with ZipFile(kb.export_fmu(m, tmp_path / "unit.fmu", platforms=[]).path) as file:
        names = [name for name in file.namelist() if name.endswith((".c", ".h"))]
        for name in names:
            (tmp_path / name.rpartition("/")[2]).write_bytes(file.read(name))
    (tmp_path / "run.c").write_text(RUN_UNIT)
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", system, "-std=c99", "-O1"]
    files = [file.name for file in tmp_path.glob("*.c")]
    command = [*zig, *files, "-o", "unit.exe", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    command = [*runner, str(tmp_path / "unit.exe")]
    ran = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    moved = kb.simulate(m, 1.0, times=[0.0, 1.0], method=kb.Method(rtol=1e-10))
    expected = np.concatenate([moved.q[-1], moved.v[-1]])
    assert np.allclose(np.array(ran.stdout.split(), float), expected, rtol=0, atol=1e-7)
