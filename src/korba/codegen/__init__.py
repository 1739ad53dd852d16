"""Graphs to programs: trace a formula, evaluate it in NumPy, compile it for this machine."""

from korba.codegen.cache import CacheFolder, cache_folder
from korba.codegen.callable.compiled import Compiled, compile_cached, compile_program
from korba.codegen.keys import stable_key
from korba.codegen.program import (
    Operations,
    Program,
    Signature,
    array_of,
    program_of,
    symbols,
    trace,
)
from korba.codegen.targets.numpy import evaluate_program
from korba.codegen.tiles import TILE, tiles, untiles

__all__ = [
    "TILE",
    "CacheFolder",
    "Compiled",
    "Operations",
    "Program",
    "Signature",
    "array_of",
    "cache_folder",
    "compile_cached",
    "compile_program",
    "evaluate_program",
    "program_of",
    "stable_key",
    "symbols",
    "tiles",
    "trace",
    "untiles",
]
