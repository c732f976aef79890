"""The report as one HTML file. In: a campaign and what was computed of it; out: a page that needs no network."""
