"""Mechanisms from files and to files: TOML, URDF, MJCF, DH tables."""
