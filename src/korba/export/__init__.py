"""Verbs as functions of other libraries, and mechanisms as units of other programs."""
