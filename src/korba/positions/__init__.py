"""Where loops are closed: what a position has to meet, velocities it allows, branches followed."""
