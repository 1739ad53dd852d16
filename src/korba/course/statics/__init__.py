"""Forces as the textbook finds them: one link, groups, guides, force polygons."""
