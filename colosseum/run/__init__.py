"""Agents act a scenario out. In: trials and players; out: one trustworthy trace a run."""
