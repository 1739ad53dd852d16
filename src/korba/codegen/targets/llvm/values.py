"""Nodes of the graph as values of LLVM, each computed where it is first needed."""

from __future__ import annotations

from korba.codegen.program import whole_power
from korba.codegen.targets.language import Values
from korba.codegen.targets.llvm.arctan import arctan2
from korba.codegen.targets.llvm.instructions import Writer
from korba.codegen.targets.llvm.sincos import sincos
from korba.expr import Expr

_JOINED = {"minimum": "and", "maximum": "or"}


class Scope(Values):
    """Values known at some place of the text; `outer` ones are known too."""

    def __init__(self, out: Writer, outer: Scope | None = None) -> None:
        super().__init__()
        self.out, self.outer = out, outer
        self.masks: dict[Expr, str] = {}

    def known(self, node: Expr) -> str | None:
        """The name of a value, if it has one."""
        found = self.values.get(node)
        return self.outer.known(node) if found is None and self.outer else found

    def computed(self, node: Expr) -> str:
        """An operation on known values."""
        if isinstance(node.value, float):
            return self.out.number(node.value)
        if isinstance(node.value, str):
            return self.variable(node.value)
        if (power := whole_power(node)) is not None:
            return self.out.whole_power(self.value(node.args[0]), power)
        if node.op == "where":
            return self.out.chosen(self.mask(node.args[0]), *map(self.value, node.args[1:]))
        if node.op == "lookup":
            return self.out.entry(self.value(node.args[0]), [float(x) for x in node.args[1:]])
        args = [self.value(arg) for arg in node.args]
        if node.op in ("sin", "cos"):
            return sincos(self.out, args[0], (node.op,))[node.op]
        if node.op == "arctan2":
            return arctan2(self.out, *args)
        if node.op in ("less", "less_equal"):
            return self.out.truth(self.mask(node))
        return self.out.operation(node.op, *args)

    def variable(self, name: str) -> str:
        """The value of a variable that is not known yet."""
        raise KeyError(name)

    def mask(self, node: Expr) -> str:
        """A condition as bits, without the way over 0.0 and 1.0 where it can be avoided."""
        found = self.known_mask(node)
        if found is not None:
            return found
        out = self.out
        if node.op in ("less", "less_equal"):
            made = out.mask(node.op, *map(self.value, node.args))
        elif not is_truth(node):
            made = out.set(f"fcmp une {out.vector} {self.value(node)}, {out.number(0.0)}")
        elif node.op == "constant":
            made = out.bit(node.value != 0.0)
        elif node.op == "sub":
            made = out.set(f"xor {out.bits} {self.mask(node.args[1])}, {out.bit(True)}")
        else:
            made = out.set(f"{_JOINED[node.op]} {out.bits} {', '.join(map(self.mask, node.args))}")
        self.masks[node] = made
        return made

    def known_mask(self, node: Expr) -> str | None:
        """The bits of a condition, if they are known."""
        found = self.masks.get(node)
        return self.outer.known_mask(node) if found is None and self.outer else found


def is_truth(node: Expr) -> bool:
    """Whether a node is 0 or 1 by its form: comparisons, and what joins them."""
    if node.op in _JOINED:
        return all(map(is_truth, node.args))
    if node.op == "sub":
        return node.args[0].value == 1.0 and is_truth(node.args[1])
    return node.op in ("less", "less_equal") or node.value in (0.0, 1.0)
