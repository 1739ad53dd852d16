"""Poses, velocities and constraints of bodies and joints."""
