"""The public surface in a real Jupyter kernel: what a cell shows, and that nothing of it needs a script's guard."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager
from test_cli_commands import colosseum as command

ROOT = Path(__file__).parent.parent


class Manager(KernelManager):  # type: ignore[misc]
    """Starts this Python, whatever kernels are installed."""

    @property
    def kernel_spec(self) -> KernelSpec:
        """The one kernel."""
        return KernelSpec(argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"])


@dataclass
class RunCell:
    """What became of a cell."""

    printed: str = ""
    errors: list[str] = field(default_factory=list)
    displayed: int = 0
    """Outputs besides what is printed and the last expression."""
    shown: dict[str, str] = field(default_factory=dict)
    """The last expression, by MIME type."""

    def hear(self, message: dict[str, Any]) -> None:
        """Called for every message."""
        content = message["content"]
        match message["msg_type"]:
            case "stream":
                self.printed += content["text"]
            case "error":
                self.errors.append("\n".join(content["traceback"]))
            case "display_data":
                self.displayed += 1
            case "execute_result":
                self.shown = content["data"]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingKernelClient]:
    """A kernel in a folder with a spec."""
    here = tmp_path_factory.mktemp("kernel")
    assert command("new", here / "bidding", "--from", "bidding").returncode == 0
    manager = Manager()
    manager.start_kernel(cwd=str(here), env={**os.environ, "PYTHONPATH": str(ROOT)})
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(60)
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run(kernel: BlockingKernelClient, code: str) -> RunCell:
    """A cell that raises nothing."""
    cell = RunCell()
    kernel.execute_interactive(code, output_hook=cell.hear, timeout=120)
    assert (cell.errors, cell.displayed) == ([], 0)
    assert "\x1b" not in cell.printed + cell.shown.get("text/plain", "")
    return cell


@pytest.fixture(scope="module")
def audited(kernel: BlockingKernelClient) -> RunCell:
    """What a cell says that makes a campaign; later ones know its names."""
    run(kernel, "import colosseum\nspec = colosseum.load('bidding.colo')")
    return run(kernel, "campaign = colosseum.audit(spec, seeds='1..3')\nlen(campaign), campaign.left")


def test_a_notebook_from_the_spec_to_the_verdict(kernel: BlockingKernelClient, audited: RunCell) -> None:
    assert "bidding" in run(kernel, "spec").shown["text/html"]
    assert float(run(kernel, "spec.instance(3).optimum().value").shown["text/plain"]) > 0
    assert "best joint payoff" in run(kernel, "spec.instance(3)").shown["text/html"]
    assert (audited.shown["text/plain"], audited.printed) == ("(18, 0)", "")
    assert "cabal" in run(kernel, "campaign").shown["text/html"]
    assert run(kernel, "sorted({row.arm for row in campaign.verdicts})").shown["text/plain"] == (
        "['again', 'emergent', 'placebo', 'prompted', 'selfish']"
    )
    assert "<" in run(kernel, "next(run for run in campaign if run.listed.arm == 'prompted')").shown["text/html"]
    assert "In `prompted`" in run(kernel, "print(campaign)").printed
    table = run(kernel, "campaign.figures()").shown
    assert table["text/plain"].startswith("<colosseum.FigureTable: 18 rows of ")
    assert run(kernel, "campaign.findings").shown["text/plain"] == "<Findings: 18 runs of 6 arms>"
    assert run(kernel, "campaign.run('prompted:2').status").shown["text/plain"] == "'complete'"


@pytest.mark.usefixtures("audited")
@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("spec.plan(seeds='1..3')", "digest"),
        ("spec.dry_run(seeds='1..3')", "No model is asked"),
        ("spec.power(pool=10, studies=100, seeds=[2], kinds='collude')", "PLANTED PLAYERS"),
        ("campaign.replay()", "18 runs made again: 18 equal"),
        ("campaign.verify()", "nothing was changed"),
        ("campaign.doctor()", "nothing is left to repair"),
        ("colosseum.merge([campaign.folder], 'joined')", "18 runs in joined, 18 of them new"),
    ],
)
def test_what_the_command_line_prints_is_what_a_cell_shows(
    kernel: BlockingKernelClient, asked: str, shown: str
) -> None:
    assert shown in run(kernel, asked).shown["text/html"]


def test_an_error_has_the_words_of_the_command_line(kernel: BlockingKernelClient) -> None:
    cell = RunCell()
    kernel.execute_interactive("import colosseum\ncolosseum.load('nope.colo').instance(2)", output_hook=cell.hear)
    words = "ColosseumError: error[C030]: there is no file `nope.colo`\nexplain: colosseum explain C030"
    assert cell.errors == [words]
