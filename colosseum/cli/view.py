"""`colosseum view`. In: a campaign's folder; out: its report in a browser."""

import webbrowser
from pathlib import Path

from colosseum.cli.words import note
from colosseum.evidence.findings import read_campaign, read_report
from colosseum.report.files import read_content, write_html
from colosseum.report.html.serving import LivePage, ended, serving


def view_folder(folder: Path, *, port: int, serve: bool, browser: bool, thoughts: bool) -> int:
    """Show a campaign's report: a file where all runs have ended, else a page served here. Raises ColosseumError."""
    if serve or ended(folder) < len(read_campaign(folder).trials):
        return _serve(LivePage(folder, thoughts), port, browser=browser)
    path = folder / "report.html"
    note(write_html(read_content(folder, read_report(folder), thoughts=thoughts), path))
    if browser and not webbrowser.open(path.absolute().as_uri()):
        note(f"no browser could be opened here: open {path} in one")
    return 0


def _serve(live: LivePage, port: int, *, browser: bool) -> int:
    with serving(live, port) as server:
        note(f"serving {live.folder} at {server.url}; Ctrl-C ends it")
        if browser and not webbrowser.open(server.url):
            note(f"no browser could be opened here: open {server.url} in one")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            note("ended")
    return 0
