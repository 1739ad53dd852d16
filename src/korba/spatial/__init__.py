"""Rotations, poses, 6-vectors and inertias as plain NumPy for any dtype."""
