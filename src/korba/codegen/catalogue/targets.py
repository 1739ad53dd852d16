"""The targets by name: languages that programs and formulas are written in for others.

A new printer is one file in codegen/targets, and one line here.
"""

from __future__ import annotations

from korba.codegen.routine.ir import AnyProgram
from korba.codegen.targets import c, cuda, javascript, python_steps
from korba.codegen.targets.formula.latex import latex
from korba.codegen.targets.formula.mathml import mathml
from korba.codegen.targets.formula.sympy import sympy
from korba.codegen.targets.formula.text import text
from korba.codegen.targets.llvm.python import scalar_text
from korba.codegen.targets.target import Target
from korba.expr.formula import Formula


def llvm_text(program: AnyProgram, name: str) -> str:
    """The module of one state, for this processor."""
    return scalar_text(program, for_python=False).replace("@scalar(", f"@{name}(")


def sympy_text(formula: Formula) -> str:
    """A formula as SymPy shows it, which `sympy.sympify` takes; coordinates are symbols."""
    return str(sympy(formula, frozenset()))


TARGETS = {
    target.name: target
    for target in (
        *c.TARGETS,
        *cuda.TARGETS,
        javascript.TARGET,
        python_steps.TARGET,
        Target("llvm", ".ll", ";", llvm_text),
        Target("text", ".txt", "", formula=text),
        Target("latex", ".tex", "", formula=latex),
        Target("mathml", ".xml", "", formula=mathml, equation="<math>{}<mo>=</mo>{}</math>"),
        Target("sympy", ".py", "", formula=sympy_text),
    )
}
"""Every target."""
