"""The page for raters. In: questions that were drawn; out: HTML in which nothing tells an arm, a role or a name."""

from collections.abc import Mapping

from colosseum.evidence.raters import LabelDraw
from colosseum.report.html.page import embedded, filled
from colosseum.run.judging.asking import Matter

SCRIPTS = ("dom.js", "downloads.js", "markdown.js", "acts.js", "arriving.js", "labels.js", "rating.js")


def rating_page(draw: LabelDraw, questions: Mapping[str, Matter]) -> str:
    """The page of all questions, in their order; there is one at least."""
    rubric = next(iter(questions.values())).rubric
    items = [
        {
            "item": name,
            "agents": matter.transcript.numbers(matter.agents),
            "channels": list(matter.transcript.channels.items()),
            "posts": [
                {"round": post.round, "channel": post.channel, "author": post.author, "text": post.text}
                for post in matter.transcript.posts
            ],
        }
        for name, matter in questions.items()
    ]
    content = {
        "draw": draw,
        "question": rubric.question,
        "rubric": rubric.name,
        "scale": rubric.anchors,
        "items": items,
    }
    return "".join(filled("rating.html", SCRIPTS, index=embedded(content)))
