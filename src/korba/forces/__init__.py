"""What loads do at a state, gathered for the formulations."""
