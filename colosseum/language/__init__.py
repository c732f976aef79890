"""Texts into syntax. In: a path or a text; out: frozen nodes with exact spans, and diagnostics."""

from colosseum.language import syntax
from colosseum.language.compose import Composition, load
from colosseum.language.files import shipped
from colosseum.language.parser import parse

__all__ = ["Composition", "load", "parse", "shipped", "syntax"]
