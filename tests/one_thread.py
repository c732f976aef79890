"""One thread, one core. In: nothing; out: the environment of this process, and of those that it begins.

OpenBLAS reads it as NumPy is imported. Its threads wait by spinning, while other tests want their core. A test that
wants processes says how many cores there are: to begin them takes longer than what most tests compute.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.cpu_count = lambda: 1
