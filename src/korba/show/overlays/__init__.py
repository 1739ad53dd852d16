"""What is laid over a drawing: a file for each kind."""
