"""Pictures by name: mechanisms, plans, centres, structure, sweeps."""
