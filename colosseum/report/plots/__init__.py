"""Plots of a study. In: a summary and its verdicts; out: charts in text, on a console."""
