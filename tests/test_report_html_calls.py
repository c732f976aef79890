"""Requests and replies of models in the page, in a browser."""

import json
from pathlib import Path

from audited import Wild, modelled
from browser import chromium
from viewed import link, written

from colosseum.evidence.findings import read_report
from colosseum.report.html.content import gather


def test_a_turn_shows_what_was_asked_and_replied(tmp_path: Path) -> None:
    folder = modelled(tmp_path / "wild", script=Wild())
    report = written(tmp_path / "calls.html", gather(folder, read_report(folder), calls=True))
    run = report.run("prompted")
    assert len(run["calls"]) == run["expense"]["calls"]
    assert not any("calls" in each for each in gather(folder, read_report(folder)).index)
    with chromium() as browser:
        page = browser.open(report.path, link(run))
        page.locator("#board .calls summary").first.wait_for()
        page.evaluate("for (const each of document.querySelectorAll('.calls')) each.open = true")
        page.locator(".calls pre").first.wait_for()
        shown = [
            json.loads(text)
            for text in page.locator(f"td:has([data-trial='{run['trial']}']) .calls pre").all_text_contents()
        ]
        requests, replies = shown[::2], shown[1::2]
        assert [each["messages"][0]["role"] for each in requests] == ["system"] * len(requests)
        assert max(len(each["messages"]) for each in requests) > 2
        assert all("choices" in reply for reply in replies)
        assert browser.close() == []
