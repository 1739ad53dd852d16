"""The printer for JavaScript: programs of every kind as an ES module, for browsers and node.

Arrays are any that can be indexed; results are written into those that are given last. Arrays of a
routine are made once, with its function. Long programs are cut into functions: engines do not
optimise one that is longer than 60 kB of their code (V8), about 4,000 operations.
"""

from __future__ import annotations

from korba.codegen.routine.ir import AnyProgram
from korba.codegen.targets.language import Language
from korba.codegen.targets.sine import LARGEST_ANGLE, body
from korba.codegen.targets.target import Target
from korba.codegen.targets.text import program_text

JAVASCRIPT = Language(
    calls={
        "arcsin": "asin",
        "arccos": "acos",
        "arctan": "atan",
        "arctan2": "atan2",
        "minimum": "min",
        "maximum": "max",
    },
    helpers={
        "place_in_table": """function place_in_table(x, last)
{
  return x > 0 ? Math.min(Math.trunc(x), last) : 0;
}
""",
        "sine_and_cosine": f"""const pair = new Float64Array(2);

function sine_and_cosine(x)
{{
  if (!(Math.abs(x) < {LARGEST_ANGLE!r})) {{
    pair[0] = Math.sin(x);
    pair[1] = Math.cos(x);
    return;
  }}
{body("const", "const turns = n")}
  pair[0] = s;
  pair[1] = c;
}}
""",
    },
    head="",
    function="{}function {}({})",
    inner="",
    input="{}",
    output="{}",
    read="{}",
    written="{}",
    value="const {} = {};",
    numbers="let {};",
    array="const {} = new Float64Array({});",
    table="const {} = Float64Array.of({});",
    whole_table="const {} = Int32Array.of({});",
    lookup="const {} = Float64Array.of({});",
    entry="place_in_table({}, {})",
    counter="let",
    whole="Math.trunc({})",
    part="{}.subarray({})",
    place="const {} = {};",
    library="Math.",
    outer="export ",
    pair="sine_and_cosine({0}); const {1} = pair[0], {2} = pair[1];",
    angles_first=True,
    lasting="{}const {} = (() => {{",
    longest=1000,
)


def javascript_text(program: AnyProgram, name: str) -> str:
    """The module that exports the function."""
    return program_text(JAVASCRIPT, program, name)


TARGET = Target("javascript", ".mjs", "/*", javascript_text)
