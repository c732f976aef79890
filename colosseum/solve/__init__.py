"""Provable optima. In: a task; out: its optima by several engines, the score of any assignment, and what follows.

`scoring` says what an assignment is worth, `arrays` what all joint values are. `lowering` makes an integer program of a
task, `network` tables. `backend` is the seam to `backends`; `solver` chooses one, `verify` compares them.
"""
