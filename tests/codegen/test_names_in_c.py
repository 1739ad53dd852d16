"""Names in generated C: none that a header of some system may have already."""

from __future__ import annotations

import re
import subprocess
from functools import cache

import pytest
from sample_mechanisms import free_four_bar
from test_repetition_kernels import chain

import korba as kb
from korba.export.fmu import build
from korba.export.fmu.description import variables_of
from korba.export.fmu.unit import unit_of

OWN = re.compile(r"(korba|KORBA)_|fmi[23]|FMI[23]?(_|$)|machine(_|$)|(MACHINE_H|main|restrict)$")
"""Prefixes that are ours or the standard's; functions for others have their user's name. C++ lacks
the word restrict."""
WORDS = re.compile(r"\w+|[^\w\s]")
KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        "const double float int long void static inline struct typedef enum extern restrict "
        "_Pragma __restrict__ __device__ __forceinline__ __global__",
    )
)
HEADERS = """
#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>
#include <time.h>
#include <wchar.h>
#include <wctype.h>
#ifdef _WIN32
#include <windows.h>
#include <io.h>
#else
#include <pthread.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
#ifdef __APPLE__
#include <mach/mach.h>
#endif
"""


@cache
def texts():
    """Files of units of both standards, and of a long chain, a routine and a straight program."""
    unit = unit_of(free_four_bar(), (None, None, 0.0), (("b",), ()), "dop853", None)
    made = {}
    for fmi in build.VERSIONS:
        sources = build.sources_of(unit, "machine", fmi)
        nominals = [each.nominal for each in variables_of(unit)[1 : 1 + unit.shape.controlled]]
        sources["unit.h"] = build.header(unit, nominals, "machine", "{0}")
        made |= {f"{fmi}/{name}": text for name, text in sources.items()}
    asked = {
        "chain": (kb.forward_dynamics, chain(70)),
        "motion": (kb.motion, kb.linkages.four_bar(1, 3, 2.5, 3.2)),
        "pose": (kb.pose, kb.linkages.slider_crank(0.05, 0.2)),
    }
    for name, (verb, m) in asked.items():
        options = {"body": "rod"} if name == "pose" else {}
        for target in ("c", "c-header", "cuda", *(["c-float"] if name != "motion" else [])):
            text = kb.generate(verb, m, target, name="machine", **options)
            made[f"{name}.{target}"] = text
    return made


def names_of_file(text):
    """What a file declares beside its functions' insides: macros, types, functions, tables."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
    text = re.sub(r'"(\\.|[^"\\])*"', '""', text).replace("\\\n", " ")
    yield from re.findall(r"#\s*define\s+(\w+)", text)
    text = re.sub(r"(?m)^\s*#.*", "", text)
    text = re.sub(r'extern ""\s*\{', "", text)
    text = re.sub(r"template <.*?>|__launch_bounds__\(\d+\)", "", text)
    text = re.sub(
        r"enum \w*\s*\{(.*?)\}",
        lambda found: f"{found[1].replace(',', ';')};",
        text,
        flags=re.DOTALL,
    )
    depth, words = 0, WORDS.findall(text)
    for word, after in zip(words, [*words[1:], ";"], strict=True):
        depth += (word in "{([") - (word in "})]")
        named = re.match(r"[A-Za-z_]", word) and word not in KEYWORDS
        if depth == 0 and named and after in {"(", "[", "=", ";", "}"}:
            yield word


def test_all_names_of_files_have_our_prefix():
    """Names outside of functions begin with korba_ or as the standard has them."""
    named = {file: set(names_of_file(text)) for file, text in texts().items()}
    assert {"korba_start", "KORBA_STATES", "korba_slope"} <= named["2.0/unit.h"]
    assert {"korba_Unit", "korba_failed", "KORBA_CLOCK", "korba_nothing"} <= named["2.0/unit.c"]
    assert {"machine", "machine_step0"} <= named["chain.c"]
    assert {"korba_fetched", "machine_rows"} <= named["pose.cuda"]
    assert not [(file, name) for file, own in named.items() for name in own if not OWN.match(name)]


def test_a_name_without_prefix_is_found():
    """The law above sees functions, tables, types, values of enumerations and macros."""
    text = """
    #define DRIFT 1
    enum { TIME = 0, END = TIME + 2 };
    typedef struct { double inner; } Memory;
    static const double nothing[1] = {0.0};
    static int finite(const double *y) { int local = 0; return local; }
    """
    assert [*names_of_file(text)] == ["DRIFT", "TIME", "END", "Memory", "nothing", "finite"]


HARD = ("-c", "-O0", "-Werror", "-Wno-unused-command-line-argument")
AS_C, AS_CPP = ("-std=c99", "-x", "c"), ("-std=c++17", "-x", "c++")


@pytest.mark.parametrize("machine", build.PLATFORMS)
def test_files_compile_behind_all_headers_of_every_system(tmp_path, machine):
    """Nor is a local name a macro of Windows or macOS, or a word of complex numbers."""
    pytest.importorskip("ziglang")
    (tmp_path / "headers.h").write_text(HEADERS)
    for place, text in texts().items():
        file = tmp_path / place.replace(".c-float", ".float.c")
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    zig, head = build.zig(build.PLATFORMS[machine].target), ("-include", "headers.h")
    units = [f"{fmi}/unit.c" if fmi == "3.0" else f"{fmi}/fmi2.c" for fmi in build.VERSIONS]
    plain = [file.name for file in tmp_path.glob("*.c")]
    asked = [(AS_C, name) for name in (*units, *plain)] + [(AS_CPP, name) for name in plain]
    for kind, name in asked:
        command = [*zig, *HARD, *kind, *head, name, "-o", "made.o"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr[:2000]
