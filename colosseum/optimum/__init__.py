"""Provable optima. In: a task; out: an integer program, its optima, and the score of any assignment."""
