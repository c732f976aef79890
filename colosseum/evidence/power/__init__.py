"""The power of a study. In: an experiment and players whose kind is known; out: how often its verdicts are right.

`planting` lays out runs of planted players, `pool` makes them, `studies` draws studies of the pool and counts what they
say of it.
"""
