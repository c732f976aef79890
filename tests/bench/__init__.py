"""Measurements against other solvers. In: seeded families of scenarios, as text; out: ratios of one run, on the same
work, with equal values demanded everywhere: `python -m tests.bench`.
"""
