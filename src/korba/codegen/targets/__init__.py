"""Printers: a file for each language with braces, a folder for what is not text for people."""
