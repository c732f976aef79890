"""A campaign for a notebook. In: the first screen of its report; out: a page, and plain lines."""

from colosseum.notebook.page import html, spelled
from colosseum.report.html.first import ArmCard, First

MOST_CARDS = 12
"""Arms that are seen at once; the others can be unfolded."""


def campaign_html(shown: First) -> str:
    """The first screen."""
    return html("campaign.html", first=shown, most=MOST_CARDS)


def campaign_text(shown: First) -> str:
    """The first screen without its figures."""
    return spelled("\n".join(_lines(shown)))


def _lines(shown: First) -> list[str]:
    banner = ["Scripted players: no model was asked."] if shown.scripted else []
    cards = [_line(card) for card in (*shown.cards, *shown.others)]
    head = [shown.title, *([shown.question] if shown.question else []), *banner, ", ".join(shown.counts)]
    return [*head, "", shown.headline, *([""] if cards else []), *cards]


def _line(card: ArmCard) -> str:
    name = f"{card.arm} ({card.place})" if card.place else card.arm
    return f"{name}: {card.reading}" + (f"; {card.detail}" if card.detail else "")
