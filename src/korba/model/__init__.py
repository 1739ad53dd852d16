"""What the user says: frozen bodies, joints, couplings, forces, drives and the mechanism."""
