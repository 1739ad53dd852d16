"""Printers: one folder for each language that programs are written in."""
