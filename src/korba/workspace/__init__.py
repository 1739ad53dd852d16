"""What a mechanism can reach: ranges, curves, transmission, singularities, inverse kinematics."""
