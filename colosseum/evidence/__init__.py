"""What runs show. In: traces and scenarios; out: figures with nulls and reasons, summaries, statistics."""
