"""Formulas for people: as text, LaTeX, MathML and SymPy."""
