"""Means, intervals and exact tests. In: one number per seed; out: an estimate, or the reason why there is none.

One idea a file, all of them pure; scipy is imported where it is needed, as it takes its time.
"""
