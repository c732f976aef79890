"""Optima of integer programs. In: a lowered program and queries; out: proven optima, by solvers that stay alive."""
