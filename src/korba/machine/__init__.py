"""What goes over a cycle: reduced models, run-up, irregularity, flywheels, balance."""
