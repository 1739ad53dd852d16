"""The jobs of this repository: `python -m jobs`."""
