"""Cycles by models of CPUs that are not here: the programs (programs.py) and what they execute (targets.py), the models (cycles.py, cell.py),
and the pages (arm.py, experiments.py)."""
