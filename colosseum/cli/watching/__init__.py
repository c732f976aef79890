"""Watching a campaign. In: what becomes of trials, calls and posts; out: words on stderr, as `--display` asks for.

* `rich`: a view that is drawn anew four times a second at most, and goes when the runs are done.
* `plain`: a line now and then, and one for every run that failed.
* `json`: an object a line for every trial that ended, and a summary now and then; `stream` lists the fields.
* `none`: nothing; errors are told all the same.
"""

from colosseum.cli.watching.seen import Seen
from colosseum.cli.watching.watch import Display, Watch, read_display

__all__ = ["Display", "Seen", "Watch", "read_display"]
