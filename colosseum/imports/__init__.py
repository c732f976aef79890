"""Runs that others made. In: their files and a mapping of the spec; out: sealed traces, as own runs have."""
