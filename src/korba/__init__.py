"""Korba."""
