"""Methods as a course teaches them, under their names: they agree with each other."""
