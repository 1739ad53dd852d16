"""Planar mechanisms by the methods of the drawing board, as exact vector algebra."""
