"""Judges. In: the trace of a run; out: what somebody who knows neither arm nor names makes of what was said."""
