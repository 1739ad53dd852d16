"""Questions answered with compiled formulas."""
