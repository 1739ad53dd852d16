"""Formulas of loads: springs, dampers, motors, forces at points."""
