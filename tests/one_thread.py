"""Arrays by one thread. In: nothing; out: the environment of this process, and of those that it begins.

OpenBLAS reads it as NumPy is imported. Its threads wait by spinning, while other tests want their core.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
