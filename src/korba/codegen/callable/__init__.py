"""A program as a function for Python: one state or a batch of any shape."""
