"""Tasks as integer programs. In: a task; out: columns, rows and costs, one rule a file; no solver is known here."""
