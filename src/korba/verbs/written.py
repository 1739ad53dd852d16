"""Equations of motion that were written: lines of formulas, for every printer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any, NamedTuple

from ..codegen.targets.formula.latex import escaped
from ..codegen.targets.formula.latex import lines as latex_lines
from ..codegen.targets.formula.mathml import rows as mathml_rows
from ..codegen.targets.formula.parts import Parts
from ..codegen.targets.formula.sympy import installed, sympy
from ..codegen.targets.formula.text import text
from ..codegen.targets.formula.typst import lines as typst_lines
from ..codegen.targets.formula.typst import quoted
from ..display import Displayed
from ..expr.formula import ZERO, Formula, Names, Power, Product, Sum, Symbol


class Letters(NamedTuple):
    """What the parts of the equations are called, where sizes leave those letters free."""

    M: str = "M"
    h: str = "h"
    G: str = "G"
    R: str = "R"
    J: str = "J"
    tau: str = "tau"
    force: str = "lambda"

    @classmethod
    def beside(cls, names: Names, count: int) -> Letters:
        """Letters that no symbol of `count` equations has."""
        return cls(
            names.letter("M", "A", "W"),
            names.letter("h", "b", "d"),
            names.letter("G", "U", "P"),
            names.letter("R", "S", "F"),
            names.letter("J", "D", "B"),
            names.letter("tau", "Q", "u", indexed=count > 1),
            names.letter("lambda", "mu", "nu"),
        )


def of(name: str) -> str:
    """Whose equations they are, for a heading; nobody's, of a mechanism without a name."""
    return f" of {name!r}" if name else ""


class Line(NamedTuple):
    """Left and right side of an equation."""

    left: Formula
    right: Formula


class Written(Displayed):
    """Lines of formulas under headings, for every printer."""

    notes: tuple[str, ...]

    @property
    def sections(self) -> tuple[tuple[str, tuple[Line, ...]], ...]:
        """All lines under their headings."""
        raise NotImplementedError

    @property
    def _typeset(self) -> tuple[tuple[str, tuple[Line, ...]], ...]:
        """The same for paper: long sums inside formulas have names and lines of their own."""
        parts = Parts(line for _, own in self.sections for line in own)
        return tuple(
            (heading, tuple(Line(*each) for line in own for each in parts.lines(*line)))
            for heading, own in self.sections
        )

    def text(self) -> str:
        """Unicode text, a line for each equation."""
        lines = []
        for heading, own in self.sections:
            lines += [heading, *(f"  {text(left)} = {text(right)}" for left, right in own)]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])

    def __str__(self) -> str:
        return self.text()

    def latex(self) -> str:
        """LaTeX (with amsmath): headings, and lines aligned at their signs of equality."""
        blocks = []
        for heading, own in self._typeset:
            blocks.append(rf"\noindent {escaped(heading)}")
            if own:
                rows = " \\\\\n".join(latex_lines(left, right) for left, right in own)
                blocks[-1] += f"\n\\[\n\\begin{{aligned}}\n{rows}\n\\end{{aligned}}\n\\]"
        blocks += [rf"\noindent note: {escaped(note)}" for note in self.notes]
        return "\n\n".join(blocks)

    def mathml(self) -> str:
        """MathML: a table of lines for each section."""
        tables = []
        for heading, own in self._typeset:
            rows = "".join(mathml_rows(left, right) for left, right in own)
            tables.append(
                f"<p>{escape(heading)}</p>"
                '<math display="block"><mtable columnalign="right left" displaystyle="true">'
                f"{rows}</mtable></math>"
            )
        return "\n".join([*tables, *(f"<p>note: {escape(note)}</p>" for note in self.notes)])

    def typst(self, around: str = "") -> str:
        """Typst: headings, and lines aligned at their signs of equality.

        `around` is the name of a function of the document that is given every block of lines.
        """
        blocks = []
        for heading, own in self._typeset:
            blocks.append(f"#block(sticky: true, strong({quoted(heading)}))")
            if own:
                lines = "$ " + " \\\n".join(typst_lines(*line) for line in own) + " $"
                blocks[-1] += f"\n#{around}[{lines}]" if around else f"\n{lines}"
        return "\n\n".join([*blocks, *(f"#{quoted(f'note: {note}')}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return self.mathml()


@dataclass(frozen=True, eq=False)
class Equations(Written):
    """M(q) q'' + h(q, q') + G(q) + R(q, q', t) = tau, entry by entry, and what closes the loops."""

    name: str
    coordinates: tuple[Symbol, ...]
    accelerations: tuple[Symbol, ...]
    """Rates of the velocities: of a ball joint these are no rates of its coordinates."""
    mass_matrix: tuple[tuple[Formula, ...], ...]
    """M: coefficients of the accelerations."""
    velocity_terms: tuple[Formula, ...]
    """h: products of velocities."""
    gravity_terms: tuple[Formula, ...]
    """G."""
    load_terms: tuple[Formula, ...]
    """R: damping, springs and other loads."""
    loops: tuple[Line, ...] = ()
    """What closes the loops."""
    loop_rows: tuple[tuple[Formula, ...], ...] = ()
    """J: the rows of the loops, whose transpose carries their forces lambda."""
    definitions: tuple[Line, ...] = ()
    """Functions that are no sums of products, by name."""
    notes: tuple[str, ...] = ()
    letters: Letters = Letters()

    @property
    def motion(self) -> tuple[Line, ...]:
        """One equation for each velocity, in the names of its entries; short ones written out."""
        n = len(self.mass_matrix)
        lines = []
        for i in range(n):
            parts = [
                (self._entry(self.letters.M, (min(i, j), max(i, j)), M), self.accelerations[j])
                for j, M in enumerate(self.mass_matrix[i])
                if M != ZERO
            ]
            terms = [(True, _times(M, rate)) for M, rate in parts]
            for letter, column in self._columns(self.letters):
                if column[i] != ZERO:
                    terms += _added(self._entry(letter, (i,), column[i]))
            lines.append(Line(summed(terms), self._efforts(i)))
        return tuple(lines)

    @property
    def entries(self) -> tuple[Line, ...]:
        """The entries by name that are not written out in the equations."""
        return tuple(self._entries())

    @property
    def sections(self) -> tuple[tuple[str, tuple[Line, ...]], ...]:
        """All lines under their headings."""
        title = f"equations of motion{of(self.name)}"
        whole = (
            (title, self.motion),
            ("with", (*self.entries, *self.definitions)),
            ("loops", self.loops),
        )
        return tuple(section for section in whole if section[1] or section[0] is title)

    def sympy(self) -> dict[str, Any]:
        """Matrices of SymPy by their letters: M, h, G, R, and the loops as a list of equations."""
        moving = frozenset(c.name for c in (*self.coordinates, *self.accelerations))
        s = installed()

        def made(formula: Formula) -> Any:
            return sympy(formula, moving)

        columns = {
            key: s.Matrix([made(x) for x in column]) for key, column in self._columns(Letters())
        }
        M = s.Matrix([[made(x) for x in row] for row in self.mass_matrix])
        loops = [s.Eq(made(left), made(right)) for left, right in self.loops]
        known = {made(left): made(right) for left, right in self.definitions}
        J = s.Matrix([[made(x) for x in row] for row in self.loop_rows])
        return {"M": M, **columns, "J": J, "loops": loops, "definitions": known}

    def _columns(self, to: Letters) -> tuple[tuple[str, tuple[Formula, ...]], ...]:
        return (to.h, self.velocity_terms), (to.G, self.gravity_terms), (to.R, self.load_terms)

    def _efforts(self, i: int) -> Formula:
        """tau, and the share of the loops' forces."""
        terms: list[tuple[bool, Formula]] = [
            (True, Symbol(f"{self.letters.tau}_{i + 1}" if self._many else self.letters.tau))
        ]
        for k, row in enumerate(self.loop_rows):
            if row[i] != ZERO:
                share = (
                    self._entry(self.letters.J, (k, i), row[i]),
                    Symbol(f"{self.letters.force}_{k + 1}"),
                )
                terms.append((True, Product(share)))
        return summed(terms)

    def _entry(self, letter: str, places: Sequence[int], formula: Formula) -> Formula:
        """An entry in an equation: itself where there is only one equation, else its name."""
        if not self._many:
            return formula
        return Symbol(_name(letter, places, len(self.mass_matrix)))

    @property
    def _many(self) -> bool:
        return len(self.mass_matrix) > 1

    def _entries(self) -> Iterator[Line]:
        n = len(self.mass_matrix)
        if not self._many:
            return
        for i, row in enumerate(self.mass_matrix):
            for j, M in enumerate(row):
                if i <= j and M != ZERO:
                    yield Line(Symbol(_name(self.letters.M, (i, j), n)), M)
        for k, row in enumerate(self.loop_rows):
            for i, entry in enumerate(row):
                if entry != ZERO:
                    yield Line(Symbol(_name(self.letters.J, (k, i), n)), entry)
        for letter, column in self._columns(self.letters):
            for i, entry in enumerate(column):
                if entry != ZERO:
                    yield Line(Symbol(_name(letter, (i,), n)), entry)


@dataclass(frozen=True, eq=False)
class LayeredEquations(Written):
    """Equations of motion in layers: named quantities in the order of computation."""

    name: str
    layers: tuple[tuple[str, tuple[Line, ...]], ...]
    """What the quantities of a layer are, and their lines."""
    notes: tuple[str, ...] = ()

    @property
    def sections(self) -> tuple[tuple[str, tuple[Line, ...]], ...]:
        """All lines under their headings."""
        title = f"equations of motion{of(self.name)}, in layers"
        return (title, ()), *self.layers

    def sympy(self) -> dict[Any, Any]:
        """For SymPy: what each named quantity is, in the order of computation.

        Coordinates are symbols, and the rates of A are A_dot and A_ddot.
        """
        return _by_symbol(line for _, own in self.layers for line in own)


@dataclass(frozen=True, eq=False)
class ReducedEquations(Written):
    """I a + I'/2 v^2 = Q in one coordinate, with the ratios of all velocities to its own."""

    name: str
    coordinate: str
    rate: Symbol
    """The coordinate's velocity."""
    letter: str
    """I_red, or m_red where the coordinate is a length."""
    ratios: tuple[Line, ...]
    """Of the velocities to `rate`."""
    inertia: Formula
    """u' M u."""
    effort: Formula
    """u' (tau - G - R)."""
    definitions: tuple[Line, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def motion(self) -> Line:
        """The equation of motion."""
        acceleration = Symbol(self.rate.name, self.rate.dots + 1)
        change = Product((Symbol("D_red"), Power(self.rate, Fraction(2))))
        terms = [(True, Product((Symbol(self.letter), acceleration))), (True, change)]
        return Line(summed(terms), Symbol("Q_red"))

    @property
    def sections(self) -> tuple[tuple[str, tuple[Line, ...]], ...]:
        """All lines under their headings."""
        own = (Line(Symbol(self.letter), self.inertia), Line(Symbol("Q_red"), self.effort))
        whole = (
            (f"equation of motion{of(self.name)}, reduced to {self.coordinate}", (self.motion,)),
            ("with", (*own, *self.definitions)),
            (f"ratios of velocities to that of {self.coordinate}", self.ratios),
        )
        return tuple(section for section in whole if section[1])

    def sympy(self) -> dict[Any, Any]:
        """For SymPy: what the definitions, the ratios, the inertia and the effort are.

        Coordinates are symbols, and the rates of A are A_dot and A_ddot.
        """
        own = (Line(Symbol(self.letter), self.inertia), Line(Symbol("Q_red"), self.effort))
        return _by_symbol((*self.definitions, *self.ratios, *own))


def _by_symbol(lines: Iterable[Line]) -> dict[Any, Any]:
    """Right sides by left sides, in SymPy."""
    return {sympy(left, frozenset()): sympy(right, frozenset()) for left, right in lines}


def _name(letter: str, places: Sequence[int], n: int) -> str:
    """M_12; with a comma where there are ten or more."""
    return f"{letter}_{('' if n < 10 else ',').join(str(i + 1) for i in places)}"


def _times(factor: Formula, rate: Formula) -> Formula:
    if isinstance(factor, Product):
        return Product((*factor.over, rate), factor.under)
    return Product((factor, rate))


def _added(entry: Formula) -> list[tuple[bool, Formula]]:
    return list(entry.terms) if isinstance(entry, Sum) else [(True, entry)]


def summed(terms: Sequence[tuple[bool, Formula]]) -> Formula:
    """Terms as a sum; one that is added alone is itself."""
    if not terms:
        return ZERO
    return terms[0][1] if len(terms) == 1 and terms[0][0] else Sum(tuple(terms))
