"""Pictures: schemes, structure graphs, plots, animation and living pages."""
