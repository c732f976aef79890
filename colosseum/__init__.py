"""Colosseum: audit scenarios as plain text in; provable optima, traces of agents and honest verdicts out."""

__all__ = ["__version__"]

__version__ = "0.1.0"
