"""Mechanisms as functional mock-up units of FMI 3.0."""
