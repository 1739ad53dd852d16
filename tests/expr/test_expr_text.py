"""Text that reads back to the same node."""

import pytest
from hypothesis import given, settings
from random_expressions import expressions

from korba.errors import ExpressionError
from korba.expr import parse, to_text, variable


@settings(max_examples=300)
@given(expressions())
def test_text_reads_back_to_the_same_node(e):
    """parse(to_text(e)) is e."""
    assert parse(to_text(e)).value is e


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x+1", "x + 1"),
        ("x-1", "x - 1"),
        ("2*x", "2*x"),
        ("-x^2", "-x**2"),
        ("(x+y)*z", "z*(x + y)"),
        ("x-(y+z)", "x - (y + z)"),
        ("2*pi", "6.283185307179586"),
        ("pi*x", "pi*x"),
        ("1 if x<2 else y", "where(x < 2, 1, y)"),
        ("'left-hip'*2", "2*'left-hip'"),
        ("'x'", "x"),
        ("'sin'", "'sin'"),
    ],
)
def test_text_is_readable(text, written):
    """The text is what a person would write, with few parentheses."""
    assert to_text(parse(text).value) == written
    assert str(parse(text).value) == written


def test_a_shared_graph_that_is_too_long_as_text_is_refused():
    """Sixty doublings are 60 nodes but 2^60 characters: an error at once, and a short str."""
    e = variable("x")
    for _ in range(60):
        e = e.sin() * e.cos()
    with pytest.raises(ExpressionError, match="longer than"):
        to_text(e)
    assert str(e) == "mul(...)"
