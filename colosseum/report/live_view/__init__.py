"""The live view of a campaign. In: what becomes of runs and calls; out: a view on a terminal, or lines of JSON."""
