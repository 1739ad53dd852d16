"""Formulations of the equations of motion, one file each; plain NumPy for numbers and symbols."""
