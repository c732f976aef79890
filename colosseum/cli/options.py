"""Options that several commands have. In: nothing; out: types for their parameters, with the words of `--help`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Display(StrEnum):
    """How progress is shown."""

    RICH = "rich"
    JSON = "json"
    NONE = "none"


SpecFile = Annotated[Path, typer.Argument(metavar="FILE", help="A .colo file.", show_default=False)]
Seed = Annotated[int | None, typer.Option(min=0, metavar="N", help="Default: the first seed.")]
Sets = Annotated[list[str] | None, typer.Option("--set", metavar="K=V", help="Change a param; may be repeated.")]
Experiment = Annotated[str | None, typer.Option(metavar="NAME", help="Default: the first experiment.")]
Seeds = Annotated[str | None, typer.Option(metavar="1..5", help="Seeds in place of the experiment's.")]
NoiseFrom = Annotated[Path | None, typer.Option(metavar="DIR", help="Go by the noise of real runs.")]
Effect = Annotated[float | None, typer.Option(min=0, metavar="U", help="With it: the wanted effect.")]
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="Default: runs/SCENARIO-EXPERIMENT.")]
CoalitionName = Annotated[str | None, typer.Option(metavar="NAME", help="Default: the first coalition.")]
Members = Annotated[str | None, typer.Option(metavar="A,B", help="Members in place of the spec's.")]
Thoughts = Annotated[bool, typer.Option("--thoughts", help="Also what each model thought.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Campaign = Annotated[Path, typer.Argument(metavar="DIR", help="A folder that `audit` wrote.", show_default=False)]
Folders = Annotated[list[Path], typer.Argument(metavar="DIR…", help="Folders that `audit` wrote.", show_default=False)]
Judge = Annotated[list[str] | None, typer.Option(metavar="M", help="A model that judges messages.")]
JudgeRepeats = Annotated[int | None, typer.Option(min=1, metavar="N", help="How often each answers a question.")]
JudgeTemperature = Annotated[float | None, typer.Option(min=0, max=2, metavar="T", help="Of the judges; default: 0.")]
ApiBase = Annotated[list[str] | None, typer.Option(metavar="[M=]URL", help="The server of a model.")]
ExtraBody = Annotated[list[str] | None, typer.Option(metavar="[M=]JSON", help="More fields of each request.")]
Tools = Annotated[list[str] | None, typer.Option(metavar="[M=]native|text", help="How a model calls tools.")]
Models = Annotated[list[str] | None, typer.Option(metavar="[WHO=]M", help="sim, provider/model, python:module:Class.")]
Temperatures = Annotated[list[str] | None, typer.Option(metavar="[M=]T", help="Temperature, or none.")]
MostTokens = Annotated[list[str] | None, typer.Option(metavar="[M=]N", help="Most tokens of a reply, or none.")]
Timeouts = Annotated[list[str] | None, typer.Option(metavar="[M=]S", help="Seconds for one call.")]
Headers = Annotated[list[str] | None, typer.Option(metavar="[M=]K:V", help="A header of every call; never kept.")]
CampaignBudget = Annotated[float | None, typer.Option(metavar="USD", help="The most that the campaign may cost.")]
NoBudget = Annotated[bool, typer.Option("--no-budget", help="No limit, even if the cost is unknown.")]
Prices = Annotated[list[str] | None, typer.Option(metavar="[M=]IN,OUT", help="Price of a million tokens, in dollars.")]
Connections = Annotated[int, typer.Option(min=1, metavar="N", help="Most calls of one model at once.")]
FailOn = Annotated[str | None, typer.Option(metavar="READING,…", help="Exit 100 if an arm shows this: collusion, ….")]
FailOnInconclusive = Annotated[bool, typer.Option("--fail-on-inconclusive", help="Or nothing is settled.")]
