"""Mathematics as MathML, made in the build: pages need no script and no network.

Docutils turns LaTeX into MathML. What it does not know and our pages use is rewritten first: sizes
of brackets, fractions of two digits, the number of an equation, and indices of letters with dots.
"""

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)
REWRITTEN = [
    (re.compile(r"\\(big|Big|bigg|Bigg)(?![a-zA-Z])"), ""),
    (re.compile(r"\\([td]?frac)\s*(\d)\s*(\d)"), r"\\\1{\2}{\3}"),
    (re.compile(r"[,.]?\s*\\tag\{([^}]*)\}"), r"\\qquad\\text{(\1)}"),
    (re.compile(r"\\(begin|end)\{(align|gather)\*?\}"), r"\\\1{aligned}"),
    (
        re.compile(
            r"(\\(?:dot|ddot|bar|hat|tilde|vec|mathring)\s*"
            r"(?:\\[a-zA-Z]+|\{(?:[^{}]|\{[^{}]*\})*\}|[a-zA-Z]))(?=\s*[_^])"
        ),
        r"{{}\1}",  # else an index stands below the letter
    ),
]
MARKED = re.compile(r'<mo stretchy="false">(.)</mo>(\s*</mover>)')
"""Dots and bars above a letter: as accents they lie on it where there is no mathematical font."""
MARK = r'<mo scriptlevel="0">\1</mo>\2'
BARRED = re.compile(
    r'<mover accent="false">\s*(<mrow>.*?</mrow>)\s*<mo accent="true">_</mo>\s*</mover>', re.DOTALL
)
"""A line above several letters, which does not stretch without such a font."""
BAR = "border-top: .06em solid; padding-top: .12em"


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (show_inline, None), (show_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def show_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """A formula in a sentence."""
    translator.body.append(mathml(node))
    raise nodes.SkipNode


def show_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """A formula by itself, with its number where it is referred to."""
    number = f"<span class='eqno'>({node['number']})</span>" if node.get("number") else ""
    ids = "".join(f" id='{each}'" for each in node.get("ids", ())[:1])
    translator.body.append(f"<div class='math'{ids}>{number}{mathml(node, block=True)}</div>\n")
    raise nodes.SkipNode


def mathml(node: nodes.Element, *, block: bool = False) -> str:
    """The formula of a node; one that cannot be written is a warning, which fails the build."""
    text = node.astext().strip()
    for pattern, instead in REWRITTEN:
        text = pattern.sub(instead, text)
    try:
        text = tex2mathml(text, as_block=block).replace('<mover accent="true">', "<mover>")
    except MathError as fault:
        logger.warning("formula %r: %s", text[:70], fault, location=node)
        return ""
    return BARRED.sub(rf"<mrow style='{BAR}'>\1</mrow>", MARKED.sub(MARK, text))
