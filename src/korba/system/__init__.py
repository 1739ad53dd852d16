"""What formulas take: the tree of links in good frames, ties, couplings, loads, gravity."""
