"""Optima without a program. In: a task and goals; out: proven optima, by eliminating variables from arrays."""
