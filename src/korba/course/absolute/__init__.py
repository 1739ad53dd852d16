"""Planar mechanisms in absolute coordinates (Gronowicz 2.3.3 and 3.4)."""
