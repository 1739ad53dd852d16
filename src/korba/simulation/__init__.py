"""Motion in time: integrators compiled together with the equations, and what they found."""
