"""A mechanism as plain data, and its printers: the drawing in the plane and in space."""
