"""Evidence of runs. In: traces and scenarios; out: figures with nulls and reasons, summaries, readings."""
