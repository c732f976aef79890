"""Runs of a scenario. In: trials and players; out: one trace for each run."""
