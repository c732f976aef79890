"""Words and tables for people and tools. In: optima, scores and summaries; out: terminal pages and JSON."""
