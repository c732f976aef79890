"""Specs written in tests. In: the lines that matter; out: what checking them gives."""

from pathlib import Path

from colosseum.diagnostics import render_text
from colosseum.model.check import Checked, check
from colosseum.model.scenario import Payoff, Scenario
from colosseum.model.values import Value

HEAD = 'colosseum 1\nscenario s "t"\n'
TEAM = HEAD + "agents A, B, C\nset moves = {left, right}\nvariable move[agents]: moves or none\n"


def said(folder: Path, text: str, **params: Value) -> tuple[Checked | None, str]:
    """Check a text; `params` are set from outside."""
    path = folder / "text.colo"
    path.write_text(text, encoding="utf-8")
    checked, diagnostics = check(path, params=params)
    return checked, render_text(d for d in diagnostics if not d.code.startswith("W")).replace(str(path), "text.colo")


def checked(folder: Path, text: str, **params: Value) -> Checked:
    """Check a text that has no mistakes."""
    found, words = said(folder, text, **params)
    assert found is not None, words
    return found


def expanded(folder: Path, text: str, **params: Value) -> Scenario:
    """The scenario of a text that has no mistakes."""
    return checked(folder, text, **params).expansion.scenario


def payoff(scenario: Scenario, name: str) -> Payoff:
    """A payoff by its written name."""
    return next(p for p in scenario.task.payoffs if p.name == name)
