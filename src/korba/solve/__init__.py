"""Closed mechanisms: loops and drives as equations, and what is asked of them."""
