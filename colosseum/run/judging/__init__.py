"""Judges. In: the trace of a run; out: scores of its messages by a judge who knows neither arm nor names."""
