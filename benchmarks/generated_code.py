"""Generated C and JavaScript beside the machine code in this process, one state against one state.

C by the system's compiler with -O2 and contraction of products (-ffp-contract=fast, the processor's
own instructions), JavaScript under node. Each side calls its function in a loop of its own, on
states that differ, so that calls from Python count nowhere; sides take turns and the least time
counts. A sum of all results keeps the work from being left out, and is compared.
"""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from gpu import arm

import korba as kb
from korba.codegen import compile_program
from korba.verbs.generated import program_of_verb

GOALS = {"C": 1.5, "JavaScript": 3.0}
STATES = 256
TURNS = 5
LONG = 0.5
"""Seconds of one turn of JavaScript, whose clock of the processor goes in ticks of up to 10 ms."""


def cases() -> dict[str, tuple[Any, kb.Mechanism, dict[str, Any], int]]:
    """What is asked, and how often in one turn."""
    four_bar = kb.linkages.four_bar(0.2, 0.7, 0.5, 0.8)
    free = replace(four_bar, drives=())
    return {
        "inverse dynamics, 7 joints": (kb.inverse_dynamics, arm(), {}, 200),
        "forward dynamics, 7 joints": (kb.forward_dynamics, arm(), {}, 100),
        "reactions, four-bar": (kb.reactions, four_bar, {}, 200),
        "motion, four-bar (Newton)": (kb.motion, four_bar, {}, 100),
        "100 RK4 steps, four-bar": (kb.simulate, free, {"method": "rk4"}, 1),
    }


def inputs_of(program: Any, m: kb.Mechanism) -> list[np.ndarray]:
    """States nearby, in rows; runs start at closed positions."""
    rng = np.random.default_rng(0)
    made = {name: 0.9 * rng.uniform(-1, 1, (STATES, size)) for name, size in program.inputs}
    if m.drives or "steps" in made:
        moved = kb.motion(kb.linkages.four_bar(0.2, 0.7, 0.5, 0.8), np.linspace(0, 0.1, STATES))
        made |= {"q": moved.q, "v": moved.v, "a": moved.a, "t": moved.t[:, None]}
    made |= {"step": np.full((STATES, 1), 1e-3), "steps": np.full((STATES, 1), 100.0)}
    return [np.ascontiguousarray(made[name]) for name, _ in program.inputs]


LOOP = """
#include <stdio.h>
#include <time.h>
static double now(void) {{ struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec; }}
double looped(int turns, double **in, double *sum)
{{
  {arrays}
  double begun = now(), total = 0.0;
  for (int k = 0; k < turns; k++) for (int s = 0; s < {states}; s++) {{
    {call}
    {summed}
  }}
  *sum = total;
  return now() - begun;
}}
"""


def loop_text(program: Any, name: str) -> str:
    """A loop in C around a function of that name."""
    given = [f"in[{k}] + {size} * s" for k, (_, size) in enumerate(program.inputs)]
    outs = [f"out{k}" for k in range(len(program.sizes))]
    arrays = " ".join(f"double out{k}[{size or 1}];" for k, size in enumerate(program.sizes))
    summed = " ".join(f"total += out{k}[0];" for k in range(len(program.sizes)))
    call = f"{name}({', '.join([*given, *outs])});"
    return LOOP.format(arrays=arrays, states=STATES, call=call, summed=summed)


def shared(text: str, folder: Path, name: str) -> Any:
    source, library = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text("#define _POSIX_C_SOURCE 199309L\n" + text)
    flags = ["-std=c99", "-O2", "-ffp-contract=fast", "-march=native", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, source, "-o", library, "-lm"], check=True)
    looped = ctypes.CDLL(str(library)).looped
    looped.restype = ctypes.c_double
    return looped


def node_seconds(folder: Path, text: str, program: Any, given: list[np.ndarray], turns: int) -> Any:
    """Seconds of a state in turns that are long beside a tick of node's clock, and the sum."""
    (folder / "f.mjs").write_text(text)
    outs = [f"out{k}" for k in range(len(program.sizes))]
    calls = ", ".join([*(f"rows[{k}][s]" for k in range(len(given))), *outs])
    summed = " + ".join(f"{out}[0]" for out in outs)
    (folder / "main.mjs").write_text(f"""
      import {{f}} from './f.mjs';
      const given = {json.dumps([x.tolist() for x in given])};
      const rows = given.map((x) => x.map((y) => Float64Array.from(y)));
      const [{", ".join(outs)}] =
        {json.dumps(list(program.sizes))}.map((n) => new Float64Array(n || 1));
      let total = 0;
      function looped(turns) {{
        const begun = process.cpuUsage();
        total = 0;
        for (let k = 0; k < turns; k++) for (let s = 0; s < {STATES}; s++) {{
          f({calls});
          total += {summed};
        }}
        const took = process.cpuUsage(begun);
        return 1e-6 * (took.user + took.system);
      }}
      let turns = {turns}, least = Infinity;
      while (looped(turns) < {LONG}) turns *= 2;
      for (let turn = 0; turn < {TURNS}; turn++) least = Math.min(least, looped(turns));
      looped({turns});
      console.log(JSON.stringify([least / (turns * {STATES}), total]));
    """)
    done = subprocess.run(
        [shutil.which("node") or "node", "main.mjs"], cwd=folder, capture_output=True, check=True
    )
    return json.loads(done.stdout)


def measured(verb: Any, m: kb.Mechanism, options: dict[str, Any], turns: int) -> dict[str, Any]:
    """Seconds of one state of each side, and the largest difference of the sums."""
    program = program_of_verb(verb, m, options).program
    given = inputs_of(program, m)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        written = shared(
            kb.generate(verb, m, "c", name="f", **options) + loop_text(program, "f"), folder, "c"
        )
        own = compile_program(program)
        kind = (
            f"typedef void (*own)({', '.join(['double *'] * (len(given) + len(program.sizes)))});"
        )
        text = f"{kind}\nown here;\n{loop_text(program, 'here')}"
        hosted = shared(text, folder, "own")
        library = ctypes.CDLL(str(folder / "own.so"))
        ctypes.c_void_p.in_dll(library, "here").value = own.address
        pointers = (ctypes.c_void_p * len(given))(*(x.ctypes.data for x in given))
        least, sums = {"C": np.inf, "here": np.inf}, {}
        for turn in range(TURNS + 1):
            for name, looped in (("C", written), ("here", hosted)):
                total = ctypes.c_double()
                took = looped(turns, pointers, ctypes.byref(total))
                sums[name] = total.value
                least[name] = min(least[name], took) if turn else np.inf
        times = {name: took / (turns * STATES) for name, took in least.items()}
        javascript = kb.generate(verb, m, "javascript", name="f", **options)
        times["JavaScript"], sums["JavaScript"] = node_seconds(
            folder, javascript, program, given, max(1, turns // 4)
        )
        sums["JavaScript"] *= turns / max(1, turns // 4)
    error = max(abs(x / sums["here"] - 1) for x in sums.values())
    return times | {"error": error}


def main(*wanted: str) -> None:
    print("| one state | here | C | JavaScript | difference |\n|---|---|---|---|---|")
    for name, case in cases().items():
        if wanted and not any(word in name for word in wanted):
            continue
        said = measured(*case)
        shares = {side: said[side] / said["here"] for side in GOALS}
        told = " | ".join(
            f"{1e9 * said[side]:,.0f} ns, {shares[side]:.2f} x"
            f"{'' if shares[side] <= goal else ' (ABOVE)'}"
            for side, goal in GOALS.items()
        )
        print(
            f"| {name} | {1e9 * said['here']:,.0f} ns | {told} | {said['error']:.0e} |", flush=True
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
