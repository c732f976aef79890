"""Provable optima. In: a task; out: its optima by several engines, the score of any assignment, and what follows.

`goal` and `scoring` say what an assignment is worth; `arrays` says it of all joint values at once. A task becomes an
integer program by `lowering`, or tables by `factors` and `network`. `backend` is the seam to the engines in `backends`;
`solver` chooses between them, `verify` holds them against each other, and `questions` are asked of both.
"""
