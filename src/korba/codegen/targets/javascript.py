"""The printer for JavaScript: programs of every kind as an ES module, for browsers and node.

Arrays are any that can be indexed; results are written into those that are given last.
"""

from __future__ import annotations

from korba.codegen.targets.language import Language

JAVASCRIPT = Language(
    calls={
        "arcsin": "asin",
        "arccos": "acos",
        "arctan": "atan",
        "arctan2": "atan2",
        "minimum": "min",
        "maximum": "max",
    },
    helpers={},
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
    counter="let",
    whole="Math.trunc({})",
    part="{}.subarray({})",
    place="const {} = {};",
    library="Math.",
    outer="export ",
)
