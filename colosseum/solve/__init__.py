"""Provable optima. In: a task; out: its optima by two independent ways, the score of any assignment, and what follows.

`goal`, `scoring` and `ledger` say what an assignment is worth; `arrays` says it of all joint values at once. `lowering`
writes a task as an integer program, which `searching` solves; `elimination` does without one. `solve` chooses between
them, `verify` holds them against each other, and `questions` are what is asked of the answers.
"""
