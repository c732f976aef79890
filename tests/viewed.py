"""Pages of audits in a browser. In: campaigns that are played here; out: their pages, and a browser that opens them."""

import json
import os
import re
import shutil
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fcntl import LOCK_EX, flock
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import compress, decompress

import pytest
from audited import Wild, modelled
from browser import Browser, chromium, driver
from conftest import SPECS
from test_cli_commands import colosseum

from colosseum.evidence.findings import read_report
from colosseum.report.html.content import gather
from colosseum.report.html.page import Content, render

MARKUP = "<img src=http://127.0.0.1:9/x onerror=alert(1)><script>alert(2)</script>\"'"


TITLE = "</title>" + MARKUP


TURNED = "left \u202etfel\u202c \u200b\x1b[2J\u202e"


@dataclass(frozen=True)
class Report:
    """A page with what is in it."""

    path: Path
    content: Content

    @property
    def cases(self) -> list[dict[str, Any]]:
        """Of the packs."""
        return [json.loads(decompress(b64decode(pack))) for pack in self.content.packs]

    def run(self, arm: str, seed: int = 1) -> dict[str, Any]:
        """A run as it is told."""
        return next(run for case in self.cases for run in case["runs"] if (run["arm"], run["seed"]) == (arm, seed))


def written(path: Path, content: Content) -> Report:
    """A page of given content."""
    content = replace(content, packs=list(content.packs))
    path.write_text(render(content), encoding="utf-8", errors="replace")
    return Report(path, content)


def packed(case: dict[str, Any]) -> str:
    """A case as it stands in a page."""
    return b64encode(compress(json.dumps(case).encode())).decode()


def told(folder: Path) -> Content:
    """The content of a campaign's page."""
    return gather(folder, read_report(folder))


@pytest.fixture(scope="module")
def opened(jira: Report, wild: Report, swept: Report) -> Iterator[Browser]:
    """One browser for all tests; campaigns are made before, as its driver keeps this thread's event loop."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def browser(opened: Browser) -> Iterator[Browser]:
    """The browser; in the end nothing must have gone wrong in it."""
    yield opened
    assert opened.close() == []


def own(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Report:
    """A page of a copy of a campaign, which the first to ask for it makes for all files and workers."""
    base = factory.getbasetemp().parent if "PYTEST_XDIST_WORKER" in os.environ else factory.getbasetemp()
    made, folder = base / f"campaign-{name}", factory.mktemp(name)
    with (base / f"{name}.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not made.exists():
            make(folder)
            shutil.move(folder, made)
        shutil.copytree(made, folder, dirs_exist_ok=True)
    return written(folder / "report.html", told(folder / "runs"))


@pytest.fixture(scope="module")
def jira(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A page of scripted players, of whom two collude."""
    driver()

    def make(folder: Path) -> None:
        done = colosseum("audit", SPECS / "jira.colo", "--seeds", "1..3", "--out", folder / "runs")
        assert done.returncode == 0, done.stderr

    return own(tmp_path_factory, "jira", make)


@pytest.fixture(scope="module")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A page of a model that does all that can be done wrong, and of runs that failed."""
    return own(tmp_path_factory, "wild", lambda folder: modelled(folder, script=Wild(breaks="Differ")))


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A page of a sweep."""
    driver()

    def make(folder: Path) -> None:
        spec = SPECS / "toy.colo"
        done = colosseum("audit", spec, "--experiment", "steered", "--seeds", "1", "--out", folder / "runs")
        assert done.returncode == 0, done.stderr

    return own(tmp_path_factory, "swept", make)


def changed(value: Any, new: dict[str, str]) -> Any:
    """JSON with other names throughout."""
    if isinstance(value, str):
        for old, name in new.items():
            value = value.replace(old, name)
        return value
    if isinstance(value, list):
        return [changed(each, new) for each in value]
    if isinstance(value, dict):
        return {changed(key, new) if key in new else key: changed(each, new) for key, each in value.items()}
    return value


def posts(run: dict[str, Any]) -> list[dict[str, Any]]:
    """What was posted, in order."""
    return [act for turn in run["turns"] for act in turn["acts"] if act["is"] == "post"]


def link(run: dict[str, Any], event: int | None = None, more: str = "") -> str:
    """The hash of an event."""
    return f"#run={run['trial'][:12]}" + ("" if event is None else f"&event={event}") + more


def kind(page: Any, words: str) -> Any:
    """The box that shows a kind of acts."""
    return page.get_by_role("checkbox", name=re.compile(rf"^{words} \("))


def hostile(jira: Report, path: Path, rationale: str = MARKUP) -> Report:
    """Every name and every text is markup, or turns the writing round; one text is huge, one empty."""
    names = {
        "engineer1": MARKUP, "engineer2": "constructor", "engineer3": "__proto__", "engineer4": TURNED, "sim": TITLE,
        "backroom": MARKUP + "x", "cabal": "</script>" + MARKUP, "prompted": MARKUP + "arm", "ticket1": MARKUP,
    }  # fmt: skip
    cases = [changed(case, names) for case in jira.cases]
    for case in cases:
        for run in case["runs"]:
            texts = posts(run)
            for post, text in zip(
                texts, [MARKUP * 3, "", " \n ", TURNED + "\nsecond line", "x<b>" * 40_000], strict=False
            ):
                post["text"] = text
            for each in run["judgements"]:
                each["rationale"], each["rubric"] = rationale, MARKUP
    index = changed(jira.content.index, names)
    return written(path, replace(jira.content, index=index, packs=[packed(case) for case in cases]))


def many(jira: Report, number: int) -> Content:
    """The same cases over and over, as if there were so many runs."""
    index = jira.content.index
    runs = [[sha256(str(n).encode()).hexdigest(), *index["runs"][n % len(index["runs"])][1:]] for n in range(number)]
    return replace(jira.content, index={**index, "runs": runs})
