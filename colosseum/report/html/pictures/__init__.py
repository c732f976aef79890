"""Pictures of a report. In: runs, verdicts and optima; out: inline SVG with the numbers in it, and files of both."""
