"""Denavit-Hartenberg chains and loops (Gronowicz 2.4, 3.5)."""
