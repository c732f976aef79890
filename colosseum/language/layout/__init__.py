"""The canonical layout of a spec. In: a text; out: the same statements and comments, laid out in the one way.

The result depends on the words, the comments and a few choices of the author (single blank lines, blocks and rules
that begin on a new line); names mean nothing here, so it works on any file by itself.
"""

from colosseum.language.layout.file import lay_out

__all__ = ["lay_out"]
