"""The printer for C99: programs of every kind as text that any compiler takes."""
