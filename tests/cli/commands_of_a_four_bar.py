"""Every command with arguments that it takes, on files that it finds in its folder."""

from __future__ import annotations

import json
import shlex

import korba as kb
from korba.cli.commands import HOMES

COMMANDS = """
new slider-crank -o new.toml
examples four-bar
check four.toml
convert four.toml copy.xml
schema
mobility four.toml --graph graph.svg
groups four.toml --input D
motion four.toml --cycle 12 --csv m.csv --out m.npz --picture m.svg --over A --degrees --column v_*\
 --phase D --animate m.html --show velocities --point coupler.C --hodograph coupler.B --theme dark
forces four.toml --cycle 12 --csv f.csv --picture f.svg --over A --degrees --hodograph B
flywheel four.toml --speed '600 rpm' --inertia 0.1 --csv w.csv --picture w.svg --degrees
simulate pendulum.toml --until 0.1 --csv s.csv --picture s.svg --phase A --degrees --theme dark
sweep four.toml --vary b=115mm,120mm --ask size --csv d.csv --out best.toml
optimise four.toml --bounds b=115mm:125mm --goal -size --count 4
draw four.toml --time 0.1 --ghosts 3 --path coupler.C --show velocities -o d.svg
live four.toml -o l.html
report pendulum.toml -o r.html
equations pendulum.toml --latex e.tex
generate pendulum.toml --what forward_dynamics --gravity 0 -f articulated-body -o g.c
export-fmu pendulum.toml -o p.fmu
crosscheck pendulum.toml --states 2 -f newton-euler
exercise velocities --student Anna --answer v_C=0.12m/s --solution
doctor
"""
ARGUMENTS = {
    words[0]: words[1:]
    for words in map(shlex.split, COMMANDS.replace("\\\n", "").strip().splitlines())
}
"""All commands but `watch`, which runs until it is stopped, and `demo`, which has a test."""
RUNNING = {"watch", "demo"}
assert ARGUMENTS.keys() | RUNNING == HOMES.keys()


def fill(folder):
    """The files of these commands."""
    kb.save(kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm"), folder / "four.toml")
    rod = kb.Body("rod", 2, com=(0.5, 0), inertia=0.1)
    pivot = kb.Revolute("A", "ground", "rod", at=(0, 0))
    kb.save(kb.Mechanism("pendulum", [rod], [pivot], plane="xy"), folder / "pendulum.toml")


def only_json(text):
    """The one object of a text that has nothing else."""
    data = json.loads(text)
    assert isinstance(data, dict)
    return data
