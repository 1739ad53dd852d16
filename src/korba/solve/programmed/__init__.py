"""Programmed motion: a point of an arm follows a path, and the torques of that."""
