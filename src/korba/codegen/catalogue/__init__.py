"""The targets by name."""
