"""Where loops are closed: `Loops`, and four things to do with it.

Modules, in the order in which one reads them:

    loops, loop_system   what a position has to meet, with units; its programs
    allowed, rank        velocities that loops allow, cut at one rank
    closed, least_steps  positions with loops closed, from one start or many; open_loops why not
    follow, folds        a branch along its drives, and where it turns back
    dyads                closed forms; dyad_chains, dyad_program and dyad_closing use them
    sketch, skeleton     the drawing of a mechanism, closed
"""
