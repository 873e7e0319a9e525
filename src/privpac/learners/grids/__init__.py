"""Rules with cuts on a grid, public or found privately, whose errors are counted together."""
