"""Transcripts whose answer is known, by which judges are measured: `cases` makes them, `scorers` has trivial rivals."""
