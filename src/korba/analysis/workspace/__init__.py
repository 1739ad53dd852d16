"""What a mechanism can reach: ranges, curves, transmission, singular positions, inverse kinematics."""
