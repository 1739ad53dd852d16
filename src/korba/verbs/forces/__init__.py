"""Forces of a given motion: in joints, of drives, of inertia; how they are shared and rub."""
