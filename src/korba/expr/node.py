"""The scalar expression graph: `Expr`, its leaves and its operators.

A node is an operation and its arguments, or a leaf: a number or a named variable. Nodes are
interned, so two equal expressions are one object, `==` is identity and common subexpressions
exist once. A NumPy array of `dtype=object` that holds nodes goes through `+`, `@`, `np.trace`
and `np.sin` like an array of floats.

`build` is the only way to make an operation: it folds constants, applies the rewriting rule of
the operation (rewrite.py) and interns what is left. Building a node again from its own
arguments gives the same node.
"""

from __future__ import annotations

import math
import operator
import struct
from _weakref import _remove_dead_weakref  # type: ignore[attr-defined]
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, Never
from weakref import ref
from zlib import crc32

import numpy as np

from korba.errors import ExpressionError
from korba.expr.functions import FUNCTIONS
from korba.forking import at_fork

_CODES = {name: crc32(name.encode()) for name in FUNCTIONS}
_WORD = 2**64 - 1


_Operator = Callable[["Expr", object], "Expr"]


def _operator(op: str, reflected: bool = False) -> _Operator:
    """An operation as a method of its first argument, or of its second."""
    if reflected:
        return lambda self, other: _joined(op, other, self)
    return lambda self, other: _joined(op, self, other)


class Expr:
    """One scalar node: `op` with `args`, or a leaf with its `value` (a number or a name).

    `order` places the node among others by content alone, the same in every process: numbers
    first, then variables by name, then operations by a 64-bit digest.
    """

    __slots__ = ("__weakref__", "args", "op", "order", "value")
    op: str
    args: tuple[Expr, ...]
    value: float | str | None
    order: tuple[int, str, int]

    if TYPE_CHECKING:  # sin, cos, where, ...: every entry of FUNCTIONS is a method, installed below

        def __getattr__(self, name: str) -> Callable[..., Expr]: ...

    def __init__(self, *_: object) -> None:
        raise ExpressionError(
            "an Expr is made by constant(2.0), variable('x') or by operators on them"
        )

    @property
    def stands_as(self) -> str:
        """In plain data of results: its text."""
        return str(self)

    def __setattr__(self, name: str, value: object) -> Never:
        raise ExpressionError(
            f"an Expr does not change (tried to set {name!r}); build a new one instead"
        )

    def __copy__(self) -> Expr:
        return self

    def __deepcopy__(self, memo: object) -> Expr:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (rows_of(postorder([self])),)

    def __repr__(self) -> str:
        return f"Expr({self})"

    def __str__(self) -> str:
        from korba.expr.text import to_text

        try:
            return to_text(self, limit=1000)
        except ExpressionError:
            return f"{self.op}(...)"

    def __bool__(self) -> bool:
        if isinstance(self.value, float):
            return self.value != 0.0
        raise ExpressionError(
            f"whether {self} holds is not known before the variables have numbers; "
            "write where(condition, a, b) instead of 'if', minimum/maximum instead of min/max"
        )

    def __float__(self) -> float:
        if isinstance(self.value, float):
            return self.value
        raise ExpressionError(f"{self} is not a number; evaluate it with values for its variables")

    def __neg__(self) -> Expr:
        return build("neg", self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return build("abs", self)

    def __floor__(self) -> Expr:  # what np.floor asks an object for
        return build("floor", self)

    __add__: _Operator = _operator("add")
    __radd__: _Operator = _operator("add", reflected=True)
    __sub__: _Operator = _operator("sub")
    __rsub__: _Operator = _operator("sub", reflected=True)
    __mul__: _Operator = _operator("mul")
    __rmul__: _Operator = _operator("mul", reflected=True)
    __truediv__: _Operator = _operator("div")
    __rtruediv__: _Operator = _operator("div", reflected=True)
    __pow__: _Operator = _operator("pow")
    __rpow__: _Operator = _operator("pow", reflected=True)
    __lt__: _Operator = _operator("less")
    __gt__: _Operator = _operator("less", reflected=True)
    __le__: _Operator = _operator("less_equal")
    __ge__: _Operator = _operator("less_equal", reflected=True)


class _Link(ref[Expr]):
    """The table's weak hold on a node, with the node's key."""

    __slots__ = ("key",)
    key: tuple[Any, ...]


_set_op, _set_args, _set_value, _set_order = (
    Expr.__dict__[name].__set__ for name in ("op", "args", "value", "order")
)

_NODES: dict[tuple[Any, ...], _Link] = {}
_LOCK = Lock()
_RECORDING = RLock()
_records: list[Expr] | None = None
Row = tuple[str, Any, tuple[int, ...]]
"""Operation, value and places of the arguments of a node."""
RULES: dict[str, Callable[..., Expr]] = {}  # filled by rewrite.py


def constant(x: float) -> Expr:
    """The node of a finite number."""
    try:
        value = float(x) + 0.0  # + 0.0 turns -0.0 into 0.0: one zero
    except (TypeError, ValueError, OverflowError) as error:
        raise ExpressionError(f"expected a number that fits a float, got {x!r:.60}") from error
    found = _found(("constant", value))
    if found is not None:
        return found
    if not math.isfinite(value):
        raise ExpressionError(f"expected a finite number, got {value}")
    low, high = struct.unpack("<II", struct.pack("<d", value))
    return _interned(("constant", value), "constant", (), value, (0, "", _mixed(low, high)))


def variable(name: str) -> Expr:
    """The node of a named unknown; any text but the empty one is a name."""
    if not isinstance(name, str) or not name:
        raise ExpressionError(f"a variable needs a name, such as 'x'; got {name!r}")
    found = _found(("variable", name))
    if found is not None:
        return found
    digest = int.from_bytes(blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest())
    return _interned(("variable", name), "variable", (), name, (1, name, digest))


def build(op: str, *args: Expr) -> Expr:
    """The simplest node that equals `op` of `args`; an error if it is a number and not finite."""
    for arg in args:
        if arg.op != "constant":
            return RULES[op](*args)
    return _folded(op, args)


def node(op: str, *args: Expr) -> Expr:
    """The node `op` of `args` exactly as given: for rewriting rules with nothing left to do."""
    key = (op, *args)
    link = _NODES.get(key)
    found = None if link is None else link()
    if found is None:
        digest = _CODES[op]
        for arg in args:
            digest = _mixed(digest, arg.order[2])
        found = _interned(key, op, args, None, (2, "", digest))
    if _records is not None:
        _records.append(found)
    return found


@contextmanager
def recorded() -> Iterator[list[Expr]]:
    """The operations asked for inside the `with`, in that order and as often as asked for.

    The order in which a formula is written is a good order to compute it in. Nodes that existed
    before are listed too, so the list does not depend on what was built earlier.
    """
    global _records  # noqa: PLW0603  (one trace at a time; the lock sees to it)
    with _RECORDING:
        outer, _records = _records, []
        try:
            yield _records
        finally:
            _records = outer


def as_expr(x: object) -> Expr:
    """The node itself, or the node of a number."""
    found = _operand(x)
    if found is None:
        raise ExpressionError(
            f"expected an expression or a number, got {type(x).__name__}: {x!r:.60}"
        )
    return found


def postorder(roots: Iterable[Expr]) -> list[Expr]:
    """Every node under `roots` once, arguments before the nodes that use them."""
    seen: set[Expr] = set()
    order: list[Expr] = []
    stack = list(roots)[::-1]
    while stack:
        top = stack[-1]
        waiting = [] if top in seen else [arg for arg in top.args if arg not in seen]
        if waiting:
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        if top not in seen:
            seen.add(top)
            order.append(top)
    return order


def reached(roots: Iterable[Expr], given: Container[Expr] = ()) -> set[Expr]:
    """Every node that `roots` are made of, and they; what is `given` is not looked into."""
    nodes = {node for node in roots if node not in given}
    waiting = list(nodes)
    while waiting:
        for arg in waiting.pop().args:
            if arg not in nodes and arg not in given:
                nodes.add(arg)
                waiting.append(arg)
    return nodes


def _interned(
    key: tuple[Any, ...],
    op: str,
    args: tuple[Expr, ...],
    value: float | str | None,
    order: tuple[int, str, int],
) -> Expr:
    made: Expr = object.__new__(Expr)
    _set_op(made, op)
    _set_args(made, args)
    _set_value(made, value)
    _set_order(made, order)
    link = _Link(made, _forget)
    link.key = key
    with _LOCK:  # two threads that build the same node get the same object
        found = _found(key)
        if found is not None:
            return found
        _NODES[key] = link
    return made


def _found(key: tuple[Any, ...]) -> Expr | None:
    link = _NODES.get(key)
    return None if link is None else link()


def _forget(link: _Link) -> None:
    """Drop a dead node's entry, unless a new node has taken its place."""
    _remove_dead_weakref(_NODES, link.key)


def _mixed(digest: int, other: int) -> int:
    digest = ((digest ^ other) * 0x9E3779B97F4A7C15) & _WORD
    return digest ^ (digest >> 32)


def _operand(x: object) -> Expr | None:
    if x.__class__ is Expr:
        return x
    if x.__class__ is float:
        return constant(x)
    if isinstance(x, int | float | np.floating | np.integer):
        return constant(x)  # type: ignore[arg-type]
    return None


def _joined(op: str, a: Any, b: Any) -> Expr:
    if a.__class__ is not Expr:
        a = _operand(a)
    elif b.__class__ is not Expr:
        b = _operand(b)
    if a is None or b is None:
        return NotImplemented
    return build(op, a, b)


_PLAIN: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
}
"""Operations that Python does on floats as NumPy does, only sooner."""


def _folded(op: str, args: tuple[Expr, ...]) -> Expr:
    values = [arg.value for arg in args]
    if op in _PLAIN:
        result = _PLAIN[op](*values)
    else:
        with np.errstate(all="ignore"):
            result = float(FUNCTIONS[op].numeric(*values))
    if not math.isfinite(result):
        numbers = ", ".join(str(arg.value) for arg in args)
        raise ExpressionError(f"{op}({numbers}) has no finite value")
    return constant(result)


def rows_of(nodes: Sequence[Expr]) -> list[Row]:
    """Nodes as plain data, each with the places of its arguments, which come before it."""
    place = {node: i for i, node in enumerate(nodes)}
    return [(n.op, n.value, tuple(place[a] for a in n.args)) for n in nodes]


def nodes_of(rows: Iterable[Row]) -> list[Expr]:
    """The nodes of `rows_of`, exactly as they were."""
    nodes: list[Expr] = []
    leaves: dict[str, Callable[[Any], Expr]] = {"constant": constant, "variable": variable}
    for op, value, places in rows:
        args = [nodes[i] for i in places]
        nodes.append(leaves[op](value) if op in leaves else node(op, *args))
    return nodes


def _unpickled(rows: list[Row]) -> Expr:
    return nodes_of(rows)[-1]


def _method(op: str) -> Callable[..., Expr]:
    def method(self: Expr, *others: object) -> Expr:
        return build(op, self, *[as_expr(other) for other in others])

    method.__name__ = op
    method.__doc__ = f"The node {op} of this node (and the arguments)."
    return method


for _name in FUNCTIONS:
    setattr(Expr, _name, _method(_name))


def _unlock() -> None:
    """A forked process has none of the threads that may hold the locks or record."""
    global _LOCK, _RECORDING, _records
    _LOCK, _RECORDING, _records = Lock(), RLock(), None


at_fork(after_in_child=_unlock)


def present(x: Any) -> bool:
    """Whether a number or an expression is anything but a constant zero."""
    symbolic = isinstance(x, Expr)
    return (symbolic and x.op != "constant") or float(x.value if symbolic else x) != 0.0
