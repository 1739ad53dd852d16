"""What the description means as a graph: spanning tree, loops, numbering."""
