"""Charts of a report: from findings to descriptions. Where there is no chart, a str says why."""
