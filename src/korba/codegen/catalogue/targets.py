"""The targets by name: languages that programs and formulas are written in for others.

A new printer is one file in codegen/targets, and one line here.
"""

from __future__ import annotations

from korba.codegen.routine.ir import AnyProgram
from korba.codegen.targets import c, cuda, javascript, python_steps
from korba.codegen.targets.formula.latex import latex
from korba.codegen.targets.formula.mathml import mathml
from korba.codegen.targets.formula.sympy import python_text
from korba.codegen.targets.formula.text import text
from korba.codegen.targets.llvm.python import scalar_text
from korba.codegen.targets.target import Target, line_by_line


def llvm_text(program: AnyProgram, name: str) -> str:
    """The module of one state, for this processor."""
    return scalar_text(program, for_python=False).replace("@scalar(", f"@{name}(")


TARGETS = {
    target.name: target
    for target in (
        *c.TARGETS,
        *cuda.TARGETS,
        javascript.TARGET,
        python_steps.TARGET,
        Target("llvm", ".ll", ";", llvm_text),
        Target("text", ".txt", "", formula=line_by_line(text)),
        Target("latex", ".tex", "", formula=line_by_line(latex)),
        Target("mathml", ".xml", "", formula=line_by_line(mathml, "<math>{}<mo>=</mo>{}</math>")),
        Target("sympy", ".py", "", formula=python_text),
    )
}
"""Every target."""
