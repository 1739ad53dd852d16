"""The reference target: programs evaluated by NumPy."""
