"""Curves with units: panels of plain data and their three printers."""
