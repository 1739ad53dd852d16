"""Which sizes are best: sweeps over designs of a mechanism, and optimisation."""
