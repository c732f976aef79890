"""Colosseum in notebooks and scripts. In: a folder of runs, or a spec; out: objects that show themselves, tables."""
